"""Definition questions: keys, runs, mappings, and the files of AutoNuggetizer."""
