"""The version, in a separate file so that every module may import it."""

__version__ = "0.2.0"
