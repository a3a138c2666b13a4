"""Show results as tables, charts, and pages."""
