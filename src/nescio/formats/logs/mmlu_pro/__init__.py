"""MMLU-Pro result files: reader, the files they lie in, letters in texts, and the repository's own figures."""
