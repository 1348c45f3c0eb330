import java.nio.file.Files

import org.objectweb.asm._
import sbt._

/**
 * Removes what only the Scala compiler reads from the classes of internal packages: a quarter of a jar. To a Scala program that is
 * compiled against the jar, these classes are Java classes.
 */
object ScalaSignatures {

  /** Copies of the class files that `isInternal` names, without Scala signatures; other files as they are. */
  def remove(files: Seq[(File, String)], isInternal: String => Boolean, into: File): Seq[(File, String)] =
    files.map {
      case (file, path) if path.endsWith(".class") && isInternal(path) =>
        val copy = into / path
        if (!copy.exists || copy.lastModified < file.lastModified)
          IO.write(copy, stripped(Files.readAllBytes(file.toPath)))
        copy -> path
      case other => other
    }

  private def stripped(bytes: Array[Byte]): Array[Byte] = {
    // Without the reader's constant pool, which would keep the signature.
    val writer = new ClassWriter(0)
    val visitor = new ClassVisitor(Opcodes.ASM9, writer) {
      override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
        if (descriptor.startsWith("Lscala/reflect/Scala")) null
        else super.visitAnnotation(descriptor, visible)
      override def visitAttribute(attribute: Attribute): Unit =
        if (!attribute.`type`.startsWith("Scala")) super.visitAttribute(attribute)
    }
    new ClassReader(bytes).accept(visitor, 0)
    writer.toByteArray
  }
}
