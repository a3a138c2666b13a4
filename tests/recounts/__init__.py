"""Figures of real logs, counted again by plain scripts that know nothing of nescio."""
