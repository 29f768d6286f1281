"""Map addresses of a library to functions, without a symbolizer.

A symbolizer costs 200 ms per crash and is often missing. The index is built once per library (in
under a second), stored in the user's cache folder and mapped from there afterwards.
"""

import hashlib
import mmap
import os
import struct
import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from oracles.stacks.elf import UnwindTable, load_address, read_unwind_table
from oracles.stacks.function_names import demangle

_SYMBOL_BYTES = 24
_SYMTAB, _DYNSYM = 2, 11
_FUNCTION = 2
_PAGE = 0xFFF


@dataclass(frozen=True)
class FunctionTable:
    """Functions sorted by address. Names are offsets into the file.

    `ends` are the addresses behind the functions: a stripped library names only what it exports,
    and what lies between two exported functions has no name. Three numbers a function: 600,000 cost
    14 MB.
    """

    addresses: "array[int]"
    names: "array[int]"
    ends: "array[int]"


def read_function_symbols(image: bytes | memoryview) -> FunctionTable:
    """The functions of a 64-bit little-endian ELF image, from `.symtab` or else `.dynsym`.

    Raises:
        ValueError: the file is anything else.
    """
    view = memoryview(image)
    if bytes(view[:6]) != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    try:
        sections = _sections(view)
        for wanted in (_SYMTAB, _DYNSYM):
            for kind, offset, size, link in sections:
                if kind == wanted:
                    return _functions(view[offset : offset + size], sections[link][1])
    except (struct.error, IndexError, OverflowError) as error:
        raise ValueError("damaged ELF file") from error
    raise ValueError("no symbol table")


def _sections(view: memoryview) -> list[tuple[int, int, int, int]]:
    """(type, file offset, size, linked section) of every section."""
    table = struct.unpack_from("<Q", view, 0x28)[0]
    entry, count = struct.unpack_from("<HH", view, 0x3A)
    sections = []
    for index in range(count):
        at = table + index * entry
        kind = struct.unpack_from("<I", view, at + 4)[0]
        offset, size = struct.unpack_from("<QQ", view, at + 0x18)
        link = struct.unpack_from("<I", view, at + 0x28)[0]
        sections.append((kind, offset, size, link))
    return sections


def _functions(table: memoryview, strings: int) -> FunctionTable:
    words = array("Q")
    words.frombytes(table[: len(table) // _SYMBOL_BYTES * _SYMBOL_BYTES])
    # One entry is three words: name | info << 32 | section << 48, then value, then size.
    # Packing the three into one integer makes the sort twice as fast as tuples.
    packed = sorted(
        value << 64 | min(size, 0xFFFFFFFF) << 32 | head & 0xFFFFFFFF
        for head, value, size in zip(words[0::3], words[1::3], words[2::3], strict=True)
        if head >> 32 & 0xF == _FUNCTION and head >> 48 and value
    )
    addresses = array("Q", (item >> 64 for item in packed))
    names = array("Q", ((item & 0xFFFFFFFF) + strings for item in packed))
    ends = array("Q", ((item >> 64) + (item >> 32 & 0xFFFFFFFF) for item in packed))
    return FunctionTable(addresses, names, ends)


_HEADER = struct.Struct("<8sQQQQQ")
_MAGIC = b"MLIRSYM2"
_PRINTER = b"_ZN4llvm3sys15PrintStackTraceE"
_HANDLER = b"_ZN4llvm3sys17RunSignalHandlersEv"


class Symbols(Protocol):
    """The functions of a library by address."""

    def name(self, address: int) -> str:
        """Mangled name of the function at `address` (relative to the load base), or ''."""
        ...

    def name_before(self, address: int) -> str:
        """Mangled name of the last function that begins at or before `address`, or ''.

        A function without a name is in the same source file, unless it is the first of the next.
        """
        ...

    def start_of(self, address: int) -> int | None:
        """Where the function at `address` begins, named or not; None if unknown."""
        ...

    def load_base(self, frame0: int, frame1: int) -> int | None:
        """The load address of the library, from the first two frames of a stack dump."""
        ...

    def base_of(self, start: int, name: str) -> int | None:
        """The load address of the library, from that of a function with a demangled name."""
        ...

    def base_of_returns(self, returns: Sequence[int]) -> int | None:
        """The load address of the library, from return addresses into it."""
        ...


class SymbolIndex:
    """Function names of one library by address. Made by `load_index`."""

    def __init__(self, library: Path, table: memoryview) -> None:
        self._image = _map(library)
        _, count, *landmarks = _HEADER.unpack_from(table)
        start = _HEADER.size
        self._addresses = table[start : start + 8 * count].cast("Q")
        self._names = table[start + 8 * count : start + 16 * count].cast("Q")
        self._ends = table[start + 16 * count : start + 24 * count].cast("Q")
        self._printer = range(landmarks[0], landmarks[1])
        self._handler = range(landmarks[2], landmarks[3])
        self._placed: dict[tuple[int, ...], int | None] = {}

    def name(self, address: int) -> str:
        """Mangled name of the function at `address` (relative to the load base), or ''."""
        index = bisect_right(self._addresses, address) - 1
        if index < 0 or self._addresses[index] < self._ends[index] <= address:
            return ""  # without a size, as in assembly, a function reaches to the next one
        return self._name_at(index)

    def name_before(self, address: int) -> str:
        """Mangled name of the last function that begins at or before `address`, or ''."""
        index = bisect_right(self._addresses, address) - 1
        return "" if index < 0 else self._name_at(index)

    def start_of(self, address: int) -> int | None:
        """Where the function at `address` begins, named or not; None if unknown."""
        return self._unwind_table.start_of(address)

    @cached_property
    def _unwind_table(self) -> UnwindTable:
        return read_unwind_table(self._image)

    def _name_at(self, index: int) -> str:
        start = self._names[index]
        end = self._image.find(b"\0", start)
        return self._image[start:end].decode("utf-8", "replace")

    def load_base(self, frame0: int, frame1: int) -> int | None:
        """The address at which the library was loaded, from the first two frames of a stack dump.

        Frame 0 returns into `llvm::sys::PrintStackTrace` and frame 1 into
        `llvm::sys::RunSignalHandlers`; only one page-aligned base allows both.
        """
        first = (frame0 - self._printer.stop) & ~0xFFF
        for base in range(max(first, 0), frame0 - self._printer.start + 1, 0x1000):
            # The return address is one past the function if the call is its last instruction.
            if frame0 - base - 1 in self._printer and frame1 - base - 1 in self._handler:
                return base
        return None

    def base_of(self, start: int, name: str) -> int | None:
        """The address at which the library was loaded, from that of one function.

        The digits of an address within its page do not change, so few functions qualify.
        """
        for address in self._by_digits.get(start & _PAGE, ()):
            if demangle(self.name(address)) == name:
                return start - address
        return None

    def base_of_returns(self, returns: Sequence[int]) -> int | None:
        """The address at which the library was loaded, from return addresses into it.

        Only the page differs from run to run, so that the same stack is looked up once.
        """
        page = min(returns, default=0) & ~_PAGE
        shape = tuple(address - page for address in returns)
        if shape not in self._placed:
            self._placed[shape] = load_address(self._image, shape)
        found = self._placed[shape]
        return None if found is None else found + page

    @cached_property
    def _by_digits(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for address in self._addresses:
            found.setdefault(address & _PAGE, []).append(address)
        return found


@lru_cache(maxsize=16)
def load_index(library: Path) -> SymbolIndex | None:
    """The index of a library, from the cache if possible; None if no names can be read."""
    try:
        cached = cache_file(library)
        table = _read_cached(cached)
        if table is None:
            data = _build(library)
            _write_cached(cached, data)
            table = memoryview(data)
        return SymbolIndex(library, table)
    except (OSError, ValueError):
        return None


def _build(library: Path) -> bytes:
    image = _map(library)
    functions = read_function_symbols(memoryview(image))
    position = {offset: index for index, offset in enumerate(functions.names)}
    landmarks: list[int] = []
    for name in (_PRINTER, _HANDLER):
        landmarks += _extent(functions, position, image, name)
    header = _HEADER.pack(_MAGIC, len(functions.addresses), *landmarks)
    columns = (functions.addresses, functions.names, functions.ends)
    return header + b"".join(column.tobytes() for column in columns)


def _extent(
    functions: FunctionTable, position: dict[int, int], image: mmap.mmap, name: bytes
) -> tuple[int, int]:
    """The start of a function and of the one after it; (0, 0) if there is no such function."""
    at = image.find(b"\0" + name)
    while at >= 0:  # .dynstr may contain the name too
        index = position.get(at + 1)
        if index is not None:
            start = functions.addresses[index]
            behind = bisect_right(functions.addresses, start)
            if behind < len(functions.addresses):
                return start, functions.addresses[behind]
        at = image.find(b"\0" + name, at + 1)
    return 0, 0


def _read_cached(path: Path) -> memoryview | None:
    try:
        table = memoryview(_map(path))
    except (OSError, ValueError):
        return None
    if len(table) < _HEADER.size:
        return None
    magic, count, *_ = _HEADER.unpack_from(table)
    if magic != _MAGIC or len(table) != _HEADER.size + 24 * count:
        return None
    return table


def _write_cached(path: Path, data: bytes) -> None:
    """Write atomically, so that parallel runs never read half a table; failure is not an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        Path(file.name).replace(path)
    except OSError:
        return


def cache_file(library: Path) -> Path:
    """Where the index of a library is kept, whether or not there is one yet.

    Raises:
        OSError: there is no such library.
    """
    stat = library.stat()
    identity = f"{library.resolve()}\0{stat.st_size}\0{stat.st_mtime_ns}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:24]
    override = os.environ.get("MLIR_REDUCER_CACHE")
    if override:
        root = Path(override)
    else:
        from platformdirs import user_cache_path

        root = user_cache_path("mlir-reducer")
    return root / "symbols" / digest


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
