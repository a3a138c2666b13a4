"""SQuAD 2.0: reading comprehension whose script gives each question an exact match and a token F1."""
