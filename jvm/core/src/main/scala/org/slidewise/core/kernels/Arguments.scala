package org.slidewise.core.kernels

/** Argument checks of the kernels. */
private[kernels] object Arguments {

  def check(values: Int, valid: Array[Long], size: Int, out: Int, results: Int, same: Boolean): Unit = {
    require(0 <= size && size <= values, s"size must be within the $values values, but is $size")
    require(
      valid == null || valid.length >= Validity.words(size),
      s"valid must have a bit for each of the $size rows (${Validity.words(size)} words), or be null"
    )
    require(results <= out, s"out must have room for $results results, but its length is $out")
    require(!same, "out must be another array than values, which is still read when results are written")
  }
}
