"""Define the data that all packages share: questions, runs and outcomes, and the columns that measures read."""
