package org.slidewise.core.summaries

/** Sizes of objects on the heap of a 64-bit JVM, as upper bounds: with eight bytes a field and a header of sixteen. */
private[summaries] object HeapBytes {

  /** An object with `fields` fields of at most eight bytes, references included. */
  def ofObject(fields: Int): Long = 16L + 8L * fields

  /** An array of `length` elements of `elementBytes` each, with its length field and padding. */
  def ofArray(length: Long, elementBytes: Int): Long = 16L + (length * elementBytes + 7) / 8 * 8
}
