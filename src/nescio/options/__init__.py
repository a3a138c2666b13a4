"""Declare a verb once: its options, the request that they make, and the function that runs it.

The command line, the Python signature, the tool for assistants, completion and the reference are made from a
declaration.
"""

from nescio.options.kinds import Kind
from nescio.options.request import Option, Request, argument, option
from nescio.options.verb import Verb, verb

__all__ = ["Kind", "Option", "Request", "Verb", "argument", "option", "verb"]
