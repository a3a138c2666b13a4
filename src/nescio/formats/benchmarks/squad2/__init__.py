"""SQuAD 2.0: gold, predictions, and the scores of its script."""
