package org.slidewise.build

import munit.FunSuite

/** The renaming by which the build derives sources; compiled here from `project/IdentifierRenaming.scala`. */
class IdentifierRenamingSuite extends FunSuite {

  private val maxToMin = Map("ArgMax" -> "ArgMin", "MaxOp" -> "MinOp")
  private val model = "final class ArgMax { MaxOp.combine(MaxOp.identity, older) }"

  private def refusal(renaming: IdentifierRenaming, source: String): String =
    renaming(source).fold(identity, renamed => fail(s"was renamed to $renamed"))

  test("renames whole identifiers and nothing else") {
    assertEquals(
      IdentifierRenaming(maxToMin)(model),
      Right("final class ArgMin { MinOp.combine(MinOp.identity, older) }")
    )
  }

  for (token <- Seq("Int.MaxValue", "Double.MaxValue", "math.max", "climax", "myMaxOp", "MaxOps", "ArgMax2"))
    test(s"$token in a model fails the derivation unless it is listed, and is then left alone") {
      val source = s"$model; val a = $token + $token"
      assert(refusal(IdentifierRenaming(maxToMin), source).contains(token))
      val listed = IdentifierRenaming(maxToMin, Set(token))(source)
      assertEquals(
        listed,
        Right(s"final class ArgMin { MinOp.combine(MinOp.identity, older) }; val a = $token + $token")
      )
    }

  test("an identifier that is listed with its qualifier is still refused with another one") {
    val listed = IdentifierRenaming(maxToMin, Set("math.max"))
    assert(listed(s"$model; math.max(a, b)").isRight)
    assert(refusal(listed, s"$model; strict.max(a, b)").contains("strict.max"))
    assert(refusal(listed, s"$model; max(a, b)").contains("max"))
  }

  test("an unchanged identifier with its qualifier takes precedence over a rename") {
    val renaming = IdentifierRenaming(Map("Double" -> "Long"), Set("lang.Double"))
    assertEquals(
      renaming("val a: Double = java.lang.Double.MIN_VALUE"),
      Right("val a: Long = java.lang.Double.MIN_VALUE")
    )
  }

  test("a rename that no longer occurs fails the derivation") {
    val message = refusal(IdentifierRenaming(maxToMin + ("MaxRows" -> "MinRows")), model)
    assert(message.contains("MaxRows"), message)
  }

  test("comments are renamed and not checked; string literals are checked, whatever they contain") {
    val renaming = IdentifierRenaming(maxToMin)
    assertEquals(
      renaming(s"/** The maximum: [[ArgMax]]. */\n$model // ArgMax, at max\n"),
      Right(
        "/** The maximum: [[ArgMin]]. */\nfinal class ArgMin { MinOp.combine(MinOp.identity, older) } // ArgMin, at max\n"
      )
    )
    assert(refusal(renaming, s"""$model; val a = s"http://x: $${Int.MaxValue}"; """).contains("Int.MaxValue"))
    assert(refusal(renaming, s"""$model; val a = "\\"// "; Int.MaxValue""").contains("Int.MaxValue"))
  }

  test("parts of numbers are no identifiers") {
    assertEquals(IdentifierRenaming(Map("x1F" -> "y"))("x1F + 0x1F"), Right("y + 0x1F"))
  }
}
