"""PAN: authorship verification, with its truth files and the answers of runs, of all years."""
