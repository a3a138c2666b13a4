"""TREC: runs that rank documents for each topic, with qrels or judgements of factoid answers."""
