"""promptfoo: results, one file or several."""
