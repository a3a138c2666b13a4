"""nescio's own questions, stories and runs in JSON Lines: answers that are yet to be judged."""
