"""Files and tables as they come: opened, unpacked, decoded, written whole. Knows no format."""
