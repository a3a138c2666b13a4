"""KILT: gold and runs of knowledge-intensive tasks, in JSON Lines."""
