"""Programs that call nescio by themselves: pytest, and assistants."""
