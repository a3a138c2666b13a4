"""Reading comprehension: the marks of Deep Read's authors."""
