"""How results look: tables, charts, and the page that holds them all."""
