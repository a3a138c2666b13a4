"""Connect nescio to programs that call it: pytest, and assistants."""
