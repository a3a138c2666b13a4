"""The files of benchmarks and campaigns."""
