"""Define the nouns and the waist: questions, runs and outcomes, and the columns that measures read."""
