"""Open questions in the style of Natural Questions and KILT."""
