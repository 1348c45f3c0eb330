package org.slidewise.spark.execution.python

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.lang.Integer.reverseBytes
import java.nio.charset.StandardCharsets.UTF_8

/** Pickles for Python workers, in the opcodes of Python's protocol 4. */
private[python] object PythonCommand {

  /**
   * The pickled function for Spark's workers, which expect a pair of a function and its result type. The function is the first
   * function's `evaluation(functions, spec)`. The type is the first function's.
   *
   * @param functions
   *   pickled pairs of a function that `slidewise.udaf` made and its result type
   */
  def evaluation(functions: Seq[Array[Byte]], spec: String): Array[Byte] = {
    val pickle = new Pickle
    pickle.protocol()
    pickle.call("builtins", "getattr") {
      pickle.part(functions.head, 0)
      pickle.text("evaluation")
    }
    pickle.callWith {
      pickle.tuple(functions.foreach(pickle.part(_, 0)))
      pickle.text(spec)
    }
    pickle.part(functions.head, 1)
    pickle.pairAndStop()
  }

  final private class Pickle {
    private[this] val bytes = new ByteArrayOutputStream
    private[this] val out = new DataOutputStream(bytes)

    def protocol(): Unit = out.write(Array(0x80, 4).map(_.toByte))

    /** Calls a function of a module with the values that `arguments` writes. */
    def call(module: String, name: String)(arguments: => Unit): Unit = {
      out.write(s"c$module\n$name\n".getBytes(UTF_8))
      callWith(arguments)
    }

    /** Calls the last value with the values that `arguments` writes. */
    def callWith(arguments: => Unit): Unit = {
      tuple(arguments)
      out.write('R')
    }

    def tuple(values: => Unit): Unit = {
      out.write('(')
      values
      out.write('t')
    }

    def text(value: String): Unit = sized('X', value.getBytes(UTF_8))

    /** The element at `index` of the value that `pickled` holds. */
    def part(pickled: Array[Byte], index: Int): Unit = call("operator", "getitem") {
      call("pickle", "loads")(sized('B', pickled))
      out.write(Array('K'.toByte, index.toByte))
    }

    private def sized(opcode: Char, value: Array[Byte]): Unit = {
      out.write(opcode)
      out.writeInt(reverseBytes(value.length))
      out.write(value)
    }

    /** Makes a pair of the last two values, and ends. */
    def pairAndStop(): Array[Byte] = {
      out.write(Array(0x86, '.').map(_.toByte))
      bytes.toByteArray
    }
  }
}
