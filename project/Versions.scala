/** Every version that the JVM build depends on, and nothing else. */
object Versions {
  val scala = "2.13.18"
  val munit = "1.2.1"
  val munitScalacheck = "1.2.0"
}
