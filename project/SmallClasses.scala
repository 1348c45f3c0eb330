import java.nio.file.Files

import org.objectweb.asm._
import sbt._

/**
 * Removes what only compilers read from the classes of internal packages: Scala signatures, a quarter of a jar, generic types,
 * and names of parameters.
 * To a Scala program that is compiled against the jar, these classes are Java classes.
 */
object SmallClasses {

  /** Copies of the class files that `isInternal` names, without these; other files as they are. */
  def of(files: Seq[(File, String)], isInternal: String => Boolean, into: File): Seq[(File, String)] =
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
      override def visit(
          version: Int,
          access: Int,
          name: String,
          generic: String,
          parent: String,
          interfaces: Array[String]
      ): Unit = super.visit(version, access, name, null, parent, interfaces)
      override def visitField(
          access: Int,
          name: String,
          descriptor: String,
          generic: String,
          value: Any
      ): FieldVisitor = super.visitField(access, name, descriptor, null, value)
      override def visitMethod(
          access: Int,
          name: String,
          descriptor: String,
          generic: String,
          exceptions: Array[String]
      ): MethodVisitor =
        new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, null, exceptions)) {
          override def visitParameter(name: String, access: Int): Unit = () // its name
        }
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
