"""SQuAD 2.0: its gold and predictions, and each question's exact match and token F1 as the script computes them."""
