"""Open, unpack, decode and write files and tables. Knows no format."""
