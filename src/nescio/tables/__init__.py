"""Read tables of any layout: map columns to roles and apply the mapping, or ask the user one question."""
