"""The Answer Validation Exercise: collections, pairs and responses."""
