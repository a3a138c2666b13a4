"""Statistics that know nothing of questions: resampling, intervals, exact tests, agreement, corrections."""
