"""TREC: runs that rank documents for each topic, held against qrels."""
