"""The nouns and the waist: what is known of questions, runs and outcomes, and the columns that measures read."""
