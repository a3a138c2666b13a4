"""How results look: tables now, charts and pages to come."""
