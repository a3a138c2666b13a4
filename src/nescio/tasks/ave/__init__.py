"""Answer validation (AVE): candidates, decisions, collections and baselines."""
