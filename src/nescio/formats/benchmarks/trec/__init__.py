"""TREC: runs, and the qrels or the factoid judgements that they are held against."""
