"""People judge: the judging page and server, sheets, and the campaigns in which groups submit runs."""
