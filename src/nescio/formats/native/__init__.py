"""nescio's own files: outcome tables, counts tables, score matrices, questions and runs, judgements."""
