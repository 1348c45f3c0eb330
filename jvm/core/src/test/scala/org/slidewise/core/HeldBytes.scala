package org.slidewise.core

import java.lang.reflect.{Array => ReflectedArray, Modifier}
import java.util.IdentityHashMap

/** The bytes of all objects that an object refers to and of itself, found by reflection. */
object HeldBytes {

  def apply(root: AnyRef): Long = {
    val seen = new IdentityHashMap[AnyRef, AnyRef]

    def size(value: AnyRef): Long =
      if (value == null || seen.put(value, value) != null) 0L
      else if (value.getClass.isArray) {
        val length = ReflectedArray.getLength(value)
        val own = 16L + length.toLong * bytesOf(value.getClass.getComponentType)
        value match {
          case references: Array[AnyRef] => own + references.map(size).sum
          case _                         => own
        }
      } else {
        val fields = Iterator
          .iterate[Class[_]](value.getClass)(_.getSuperclass)
          .takeWhile(_ != null)
          .flatMap(_.getDeclaredFields)
          .filterNot(f => Modifier.isStatic(f.getModifiers))
          .toSeq
        16L + fields.map { field =>
          val inner =
            if (field.getType.isPrimitive) 0L
            else {
              field.setAccessible(true)
              size(field.get(value))
            }
          bytesOf(field.getType) + inner
        }.sum
      }

    size(root)
  }

  private def bytesOf(kind: Class[_]): Int =
    if (kind == classOf[Boolean] || kind == classOf[Byte]) 1
    else if (kind == classOf[Int] || kind == classOf[Float]) 4
    else 8
}
