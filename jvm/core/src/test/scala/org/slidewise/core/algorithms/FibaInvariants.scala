package org.slidewise.core.algorithms

import munit.Assertions._

/** B1 to B5 of [[Fiba]], for a window of concatenations that holds `v`. */
object FibaInvariants {
  private type Refs = Array[AnyRef]

  def check(fiba: Fiba[Refs], v: Vector[Int], run: String): Unit = {

    def held(position: Int): Vector[Int] = {
      val slot = fiba.states.slot(position)
      fiba.states.cells(slot)(fiba.states.offset(slot)).asInstanceOf[Vector[Int]]
    }

    def children(node: FibaNode): Seq[FibaNode] =
      if (node.isLeaf) Nil else (0 to node.entries).map(node.child)

    def values(node: FibaNode, skipFirst: Boolean, skipLast: Boolean): Vector[Int] = {
      val subtrees = children(node).zipWithIndex.map { case (child, i) =>
        if (skipFirst && i == 0 || skipLast && i == node.entries) Vector.empty
        else values(child, skipFirst = false, skipLast = false)
      }
      (0 until node.entries).foldLeft(subtrees.headOption.getOrElse(Vector.empty)) { (all, i) =>
        all ++ held(node.value(i)) ++ (if (node.isLeaf) Vector.empty else subtrees(i + 1))
      }
    }

    def times(node: FibaNode): Vector[Long] = {
      val own = (0 until node.entries).map(node.time).toVector
      if (node.isLeaf) own
      else
        own.zip(children(node).tail).foldLeft(times(node.child(0))) { case (all, (t, c)) =>
          (all :+ t) ++ times(c)
        }
    }

    def depths(node: FibaNode): Set[Int] =
      if (node.isLeaf) Set(0) else children(node).map(depths).reduce(_ ++ _).map(_ + 1)

    def visit(node: FibaNode, left: Boolean, right: Boolean): Unit = {
      assertEquals((node.leftSpine, node.rightSpine), (left, right), s"$run: spines")
      assert(node.isRoot || (node.entries >= 3 && node.entries <= 7), s"$run: B2, ${node.entries} entries")
      children(node).foreach(c => assert(c.parent eq node, s"$run: parent"))
      val own = values(node, left, right)
      val parent = if (node.isRoot || node.parent.isRoot) Vector.empty else held(node.parent.agg)
      val expected =
        if (node.isRoot) own
        else if (left) own ++ parent
        else if (right) parent ++ own
        else own
      assertEquals(held(node.agg), expected, s"$run: B3 to B5 for a window of ${v.size}")
      children(node).zipWithIndex.foreach { case (c, i) =>
        visit(c, left && i == 0, right && i == node.entries)
      }
    }

    assertEquals(values(fiba.root, skipFirst = false, skipLast = false), v, s"$run: the elements")
    assertEquals(times(fiba.root), times(fiba.root).sorted, s"$run: B1")
    assertEquals(depths(fiba.root).size, 1, s"$run: B2, depth")
    visit(fiba.root, left = true, right = true)
  }
}
