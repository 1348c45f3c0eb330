package org.slidewise

import com.tngtech.archunit.core.domain.{JavaClass, JavaClasses, JavaConstructor}

/** The constructors of classes. */
object Constructors {

  /** The most parameters of a constructor. What belongs together is a type. */
  private val Most = 8

  /** The names of the classes with a constructor of more parameters. */
  def long(classes: JavaClasses): Set[String] = {
    // Those of local classes also take the values that the class reads around it.
    val named = classes.toArray(Array.empty[JavaClass]).filterNot(c => c.isAnonymousClass || c.isLocalClass)
    require(named.length > 100, s"only ${named.length} classes")
    named
      .filter(_.getConstructors.toArray(Array.empty[JavaConstructor]).exists(parameters(_) > Most))
      .map(_.getSimpleName)
      .toSet
  }

  /** The number of parameters, without the object around an inner class. */
  private def parameters(constructor: JavaConstructor): Int = {
    val types = constructor.getRawParameterTypes.toArray(Array.empty[JavaClass])
    val enclosing = constructor.getOwner.getEnclosingClass
    if (types.nonEmpty && enclosing.isPresent && enclosing.get == types.head) types.length - 1
    else types.length
  }
}
