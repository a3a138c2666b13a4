"""PAN: authorship verification, its truth and the answers of runs, of all years."""
