"""What the commands do, as functions: each file is a command, or a group of them, that has no home in another room."""
