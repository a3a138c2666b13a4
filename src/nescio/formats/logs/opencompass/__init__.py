"""OpenCompass: results with details, and predictions."""
