"""What other tools write today, each run with a model that says the same each time, and read by nescio."""
