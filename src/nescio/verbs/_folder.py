"""Represent a folder of verbs as a group of verbs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from nescio.verbs import names_in, verb_in, verb_of


class Folder(ModuleType):
    """A folder of verbs, as a module. Each file of the folder is an attribute, whose value is the verb in the file.

    A verb is imported on first use.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in names_in(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return verb_in(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Store an attribute; in place of the module of an imported file, store the verb of this file."""
        super().__setattr__(name, verb_of(value) if isinstance(value, ModuleType) else value)

    def __dir__(self) -> list[str]:
        return names_in(self)
