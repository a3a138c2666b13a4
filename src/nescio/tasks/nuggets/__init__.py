"""Definition questions: nugget keys, responses, and automatic matching."""
