"""Tables of any make: a mapping from columns to roles, executed, or one question."""
