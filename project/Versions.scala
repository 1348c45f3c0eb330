/** Every version that the JVM build depends on, and nothing else. */
object Versions {

  /** The releases that the public API of the next one is compared with: those of its major version. */
  val released: Seq[String] = Nil

  val scala = "2.13.18"

  /** The last that is published for Scala 2.12 and 2.13 alike. */
  val munit = "1.0.0"
  val munitScalacheck = "1.0.0"
  val archunit = "1.5.0"

  /** The sketches that Spark 4.2 carries. */
  val datasketches = "6.2.0"
  val sparkSketch = "4.2.0"

  /** For the benchmarks only. */
  val hdrHistogram = "2.2.2"
}
