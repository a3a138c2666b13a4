"""Compressed files, archives, JSON documents and XML: what is opened, and what is refused before it can do harm."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import pytest
import zstandard

from nescio.errors import FormatError
from nescio.formats import open_source
from nescio.sources.documents import read_members
from nescio.sources.limits import Limits, limited
from nescio.sources.xml import parse_xml


def only_member(path: Path) -> bytes:
    ((_, content),) = read_members(path, lambda _: True)
    return content


def error_of(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        open_source(path)
    return str(caught.value)


def test_a_binary_file_in_no_form_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.ods"
    path.write_bytes(b"PK\3\4\0")
    assert ".parquet, .xlsx, .zip" in error_of(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_an_archive(tmp_path: Path, method: int) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", '{"version": 2}')
    assert open_source(path).members == ("header.json",)
    assert only_member(path) == b'{"version": 2}'
    assert [*read_members(path, lambda name: name == "samples/1.json")] == []


def zstandard_archive(path: Path, text: bytes, claimed: int | None = None, name: str = "a.json") -> None:
    """An archive whose one member is packed by method 93, which zipfile does not write before Python 3.14."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, text)
    packed = zstandard.ZstdCompressor().compress(text)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(name)
    size = len(text) if claimed is None else claimed
    crc = info.CRC.to_bytes(4, "little")
    sizes = len(packed).to_bytes(4, "little") + size.to_bytes(4, "little")
    middle = (93).to_bytes(2, "little") + b"\0\0\0\0" + crc + sizes + len(name).to_bytes(2, "little") + b"\0\0"
    local = b"PK\3\4\x14\0\0\0" + middle + name.encode() + packed
    central = b"PK\1\2\x14\0\x14\0\0\0" + middle + b"\0" * 14 + name.encode()
    end = b"PK\5\6\0\0\0\0\1\0\1\0" + len(central).to_bytes(4, "little") + len(local).to_bytes(4, "little") + b"\0\0"
    path.write_bytes(local + central + end)


def test_a_member_packed_by_zstandard(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    text = json.dumps({"a": list(range(100))}).encode()
    zstandard_archive(path, text)
    assert only_member(path) == text
    zstandard_archive(path, text, claimed=len(text) - 3)
    with pytest.raises(FormatError, match="size or checksum"):
        only_member(path)


def test_a_list_of_millions_of_members_is_not_read(tmp_path: Path) -> None:
    """Such an archive is nothing but the list, of which each line takes a kilobyte of memory."""
    path, line = tmp_path / "log.eval", b"PK\1\2" + bytes(24) + b"\1" + bytes(17) + b"a"
    size = 1 << 24
    lines = line * (size // len(line))
    end = struct.pack("<4s4HLLH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(lines), 0, 0)
    path.write_bytes(lines + end)
    assert "the list of the archive's members has more than" in error_of(path)


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", b" " * (1 << 20))
        archive.writestr("b.json", b" ")
    with (
        limited(Limits(max_unpacked=1 / 1024)),
        pytest.raises(FormatError, match=r"unpacks to more than 0.000976562 GB; max_unpacked raises the limit"),
    ):
        open_source(path)
    assert open_source(path).members == ("a.json", "b.json")


def test_a_damaged_archive(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\3\4 and so on")
    assert "not a readable ZIP archive" in error_of(path)


def test_json_lines_in_a_json_file(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text('{"id": 1}\n{"id": 2}\n')
    assert (open_source(path).kind, open_source(path).suffix) == ("lines", ".jsonl")
    path.write_text('{"id": Infinity, "x": NaN}')
    assert open_source(path).kind == "document"
    path.write_text("[" * 100_000)
    assert "not a JSON document" in error_of(path)


def test_a_tag_without_end_is_refused_before_it_takes_time(tmp_path: Path) -> None:
    path = tmp_path / "gold.xml"
    path.write_bytes(b'<?xml version="1.0"?>\n<!--' + b"a" * (18 << 20) + b"--><test-set/>")
    assert error_of(path) == f"{path}, line 2: a tag or a comment is longer than 16 MB"


def test_xml_reads_nothing_outside_itself(tmp_path: Path) -> None:
    secret, path = tmp_path / "secret", tmp_path / "test.xml"
    secret.write_text("secret")
    path.write_text(f'<!DOCTYPE a [<!ENTITY e SYSTEM "{secret.as_uri()}">]><a>&e;</a>')
    assert "declares entities" in error_of(path)
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    path.write_text(f'<!DOCTYPE a [<!ENTITY e0 "ha">{bomb}]><a>&e11;</a>')
    error_of(path)
    path.write_text('<!DOCTYPE a SYSTEM "outside.dtd"><a>it is &neg; true</a>')  # else read as "it is  true"
    assert "line 1: the entity 'neg' is not defined in the file" in error_of(path)
    path.write_text('<!DOCTYPE a [<!ATTLIST b c CDATA "xxx">]><a><b/></a>')  # else copied into every element
    assert "the file declares a default value for the attribute 'c'" in error_of(path)
    many = "".join(f"<!ATTLIST b c{i} CDATA #IMPLIED>" for i in range(2_001))
    path.write_text(f"<!DOCTYPE a [{many}]><a><b/></a>")
    assert "the file declares more than 2,000 attributes" in error_of(path)
    path.write_text("<a><b></a>")
    assert "not well-formed XML" in error_of(path)
    path.write_text("<test>\n<question/></test>")
    (child,) = parse_xml(path).children("question")
    assert (open_source(path).columns, child.sourceline) == (("test",), 2)


def test_xml_is_nested_at_most_256_deep(tmp_path: Path) -> None:
    path = tmp_path / "deep.xml"
    path.write_text("<a>" * 256 + "</a>" * 256)
    assert len([*parse_xml(path).iter()]) == 256
    path.write_text("<a>" * 257 + "</a>" * 257)
    assert "elements are nested more than 256 levels deep" in error_of(path)
