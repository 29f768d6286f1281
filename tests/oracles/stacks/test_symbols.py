"""Mapping addresses to functions with the library's own symbols."""

import struct
import sys
from pathlib import Path

import pytest

from oracles.stacks.symbols import load_index, read_function_symbols

PRINTER, HANDLER = (
    "_ZN4llvm3sys15PrintStackTraceERNS_11raw_ostreamEi",
    "_ZN4llvm3sys17RunSignalHandlersEv",
)


def tiny_library(path: Path, functions: dict[str, int]) -> Path:
    """An ELF file with nothing but a symbol table."""
    names, table = b"\0", b"\0" * 24
    for name, address in functions.items():
        table += struct.pack("<IBBHQQ", len(names), 2, 0, 1, address, 0)
        names += name.encode() + b"\0"
    strings_at = 64 + 3 * 64
    table_at = strings_at + len(names)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 3, 0)
    sections = b"\0" * 64
    sections += struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, table_at, len(table), 2, 0, 8, 24)
    sections += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, strings_at, len(names), 0, 0, 1, 0)
    path.write_bytes(header + sections + names + table)
    return path


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    functions = {PRINTER: 0x5100, "between": 0x5140, HANDLER: 0x9200, "f": 0x9300, "g": 0x9400}
    return tiny_library(tmp_path / "lib.so", functions)


def test_name_of_an_address(library: Path) -> None:
    index = load_index(library)
    assert index is not None
    assert [index.name(address) for address in (0x10, 0x9300, 0x93FF, 0x9400)] == [
        "",
        "f",
        "f",
        "g",
    ]


def test_load_base_follows_from_two_frames(library: Path) -> None:
    index = load_index(library)
    assert index is not None
    base = 0x7F0012345000
    assert index.load_base(base + 0x5120, base + 0x9280) == base
    assert index.load_base(base + 0x5150, base + 0x9280) is None


def test_cache_is_used_and_a_damaged_one_is_made_again(library: Path, tmp_path: Path) -> None:
    load_index.cache_clear()
    assert load_index(library) is not None
    (cached,) = (tmp_path / "cache" / "symbols").iterdir()
    good = cached.read_bytes()
    cached.write_bytes(good[:-5])
    load_index.cache_clear()
    index = load_index(library)
    assert index is not None and index.name(0x9300) == "f"
    (cached,) = (tmp_path / "cache" / "symbols").iterdir()
    assert cached.read_bytes() == good


def test_cache_folder_that_cannot_be_written(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "file"))
    load_index.cache_clear()
    assert load_index(library) is not None


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01" + b"\xff" * 100])
def test_no_library(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.so"
    path.write_bytes(content)
    assert load_index(path) is None


@pytest.mark.skipif(sys.platform != "linux", reason="reads the running interpreter's ELF file")
def test_exported_names_of_a_real_program() -> None:
    try:
        functions = read_function_symbols(Path(sys.executable).resolve().read_bytes())
    except ValueError:
        pytest.skip("a stripped interpreter")
    assert list(functions.addresses) == sorted(functions.addresses)
    assert len(functions.addresses) == len(functions.names) > 0
