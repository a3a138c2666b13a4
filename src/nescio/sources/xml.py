"""Read XML with expat. Elements know their line and their parent; entities and external content are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers import expat

from nescio.errors import FormatError
from nescio.sources.database import first_line
from nescio.sources.limits import MB

if TYPE_CHECKING:
    from nescio.sources.source import Source

_DEEPEST = 256  # the deepest nesting of elements
_LONGEST_TAG = 16 * MB
_MOST_ATTRIBUTES = 2_000  # that a file declares


class Element(ElementTree.Element):
    """An XML element with its line in the file (`sourceline`), and the element that contains it (`above`; None for the
    root)."""

    __slots__ = ("above", "sourceline")
    above: Element | None
    sourceline: int

    def tagged(self, *tags: str) -> Iterator[Element]:
        """Yield this element and its descendants with one of these tags, in document order."""
        return (element for element in self.iter() if element.tag in tags)  # type: ignore[misc]

    def children(self, tag: str) -> list[Element]:
        """Return the child elements with a tag."""
        return [element for element in self if element.tag == tag]  # type: ignore[misc]

    def ancestors(self, *tags: str) -> Iterator[Element]:
        """Yield the elements that contain this element and have one of the `tags`, the innermost first.

        Without `tags`, all elements that contain it are yielded.
        """
        above = self.above
        while above is not None:
            if not tags or above.tag in tags:
                yield above
            above = above.above


def parse_xml(path: Path) -> Element:
    """Return the root of an XML file.

    Raises FormatError, with the line, for invalid XML, or if the file declares entities or defaults of attributes.
    """
    parser = expat.ParserCreate(namespace_separator="}")
    builder = ElementTree.TreeBuilder(element_factory=Element)
    open_elements: list[Element] = []

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        element = builder.start(_qualified(tag), {_qualified(name): value for name, value in attributes.items()})
        assert isinstance(element, Element)
        element.sourceline = parser.CurrentLineNumber
        element.above = open_elements[-1] if open_elements else None
        open_elements.append(element)
        if len(open_elements) > _DEEPEST:
            raise FormatError(
                path, f"elements are nested more than {_DEEPEST} levels deep", where=f"line {element.sourceline}"
            )

    def end(tag: str) -> None:
        builder.end(_qualified(tag))
        open_elements.pop()

    def entity(*_: object) -> None:
        where = f"line {parser.CurrentLineNumber}"
        raise FormatError(path, "the file declares entities; for safety, nescio does not read such files", where=where)

    declared = count(1)

    def attribute(_element: str, name: str, _kind: str, default: str | None, _required: int) -> None:
        # Every such element would get the default, and expat searches all declared attributes for each new one.
        if default is not None or next(declared) > _MOST_ATTRIBUTES:
            rule = f"the file declares more than {_MOST_ATTRIBUTES:,} attributes"
            rule = rule if default is None else f"the file declares a default value for the attribute {name!r}"
            where = f"line {parser.CurrentLineNumber}"
            raise FormatError(path, f"{rule}; for safety, nescio does not read such files", where=where)

    def skipped(name: str, is_parameter: bool) -> None:
        if not is_parameter:
            rule = f"the entity {name!r} is not defined in the file; nescio reads no external definitions"
            raise FormatError(path, rule, where=f"line {parser.CurrentLineNumber}")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.AttlistDeclHandler, parser.SkippedEntityHandler = attribute, skipped
    parser.CharacterDataHandler, parser.EntityDeclHandler = builder.data, entity
    parser.buffer_text = True
    try:
        with path.open("rb") as file:
            feed(parser, file, path)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise FormatError(path, f"not well-formed XML: {what}", where=f"line {error.lineno}") from None
    except (LookupError, ValueError) as error:  # The encoding is unknown or not supported.
        raise FormatError(path, f"not well-formed XML: {first_line(error)}", where="line 1") from None
    except OSError as error:
        raise FormatError(path, f"cannot be read: {first_line(error)}") from None
    root = builder.close()
    assert isinstance(root, Element)
    return root


def feed(parser: expat.XMLParserType, file: IO[bytes], path: Path) -> None:
    """Parse an XML file in pieces. Raises FormatError for an overlong tag or comment.

    expat before 2.6 reads an unfinished tag again with every piece (CVE-2023-52425): a tag of 80 MB takes 30 s.
    """
    fed = 0
    while piece := file.read(MB):
        parser.Parse(piece, False)
        fed += len(piece)
        if fed - max(parser.CurrentByteIndex, 0) > _LONGEST_TAG:
            rule = f"a tag or a comment is longer than {_LONGEST_TAG // MB} MB"
            raise FormatError(path, rule, where=f"line {parser.CurrentLineNumber}")
    parser.Parse(b"", True)


def refuse_entities(file: IO[bytes], path: Path) -> None:
    """Raise FormatError if XML in a part of the file at `path` has a document type, which can declare entities.

    Entities may multiply the content. Only the text before the first element is parsed; a part that is not XML passes.
    """
    parser = expat.ParserCreate()

    def doctype(*_: object) -> None:
        raise FormatError(path, "a part of the file may declare entities; for safety, nescio does not read such files")

    def root(*_: object) -> None:
        raise StopIteration

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, root
    with suppress(expat.ExpatError, LookupError, ValueError, StopIteration):
        feed(parser, file, path)


def _qualified(name: str) -> str:
    """Return a name in ElementTree's form, with its namespace in braces."""
    return f"{{{name}" if "}" in name else name


def written(root: ElementTree.Element) -> bytes:
    """Return a document as bytes, with one line per element."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n"


def fault_in(source: Source, element: Element, rule: str, value: object = None) -> FormatError:
    """Return the error for an XML element, with its line."""
    return FormatError(source.label, rule, where=f"line {element.sourceline}", value=value)


def text_in(element: ElementTree.Element | None) -> str:
    """Return the text of an element and of the elements in it, with line breaks and indentation as single spaces."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
