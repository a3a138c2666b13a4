"""every_eval_ever: instance-level results of any tool, one a line."""
