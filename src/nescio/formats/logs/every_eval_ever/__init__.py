"""every_eval_ever: graded instances of any tool, one per line."""
