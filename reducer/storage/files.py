"""Read inputs, with precise error messages, and write files atomically."""

import bz2
import gzip
import io
import lzma
import os
import re
import shlex
import stat
import sys
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import zstandard

from oracles.profiles import DEFAULT
from reducer.errors import BadInput, MissingInput, OutputNotWritable, UsageError

MAX_INPUT_BYTES = 2**31 - 1
"""MLIR's parser uses 32-bit offsets. The limit also protects against decompression bombs."""

BYTECODE_MAGIC = b"ML\xefR"
"""The magic number at the start of MLIR bytecode."""

_DECOMPRESSORS: dict[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = {
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
}
_ZSTD = b"\x28\xb5\x2f\xfd"
_UNPACKING = {
    b"\xfd7zXZ\x00": "xz -dc",
    b"\x1f\x8b": "gzip -dc",
    b"BZh": "bzip2 -dc",
    _ZSTD: "zstd -dc",
}
"""What prints the content of a compressed file, by the magic number at its start."""
_CHUNK = 1 << 20  # bytes
_ZSTD_CHUNK = 4096  # bytes; may expand to 128 MB
COMPRESSED_SUFFIXES = (".xz", ".gz", ".bz2", ".zst")
"""File name suffixes of the supported compression formats."""

_DAMAGES = (OSError, EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
_COMMENT = b"//"
ONLY_COMMENTS = "contains only comments"
"""What to say about a file without ops."""
_MARKS = {
    b"\xef\xbb\xbf": r"sed '1s/^\xEF\xBB\xBF//'",
    b"\xff\xfe": "iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "iconv -f UTF-16 -t UTF-8",
}
"""What some editors put before a text, and what removes it."""
_STREAM = re.compile(r"/(?:proc/[^/]+(?:/task/\d+)?|dev)/fd/")
_MOST_LINKS = 40  # as the kernel follows
STDIN = Path("/dev/stdin")
"""The input that users call `-`."""

_write_lock = threading.Lock()


@dataclass(frozen=True)
class InputText:
    """The decompressed text to reduce, and the path it was read from."""

    path: Path
    text: str


def read_input(
    path: Path, text_of: Callable[[bytes], str | None] = lambda bytecode: None
) -> InputText:
    """Read the text file at `path`, which may be compressed.

    Bytecode becomes what `text_of` makes of it; None if it cannot be read.

    Raises:
        MissingInput: the file cannot be opened.
        BadInput: it does not contain text that can be reduced.
    """
    data = read_data(path)
    text = text_of(data) if data.startswith(BYTECODE_MAGIC) else None
    return InputText(path, _decode(data, path) if text is None else text)


def read_result(path: Path) -> str:
    """Read the text of a result. It may be empty, unlike an input: even nothing at all may fail.

    Raises:
        MissingInput: the file cannot be opened.
        BadInput: it does not contain text.
    """
    data = read_data(path)
    return _decode(data, path) if data.strip() else data.decode()


def read_data(path: Path) -> bytes:
    """Read the file at `path`, which may be compressed with xz, gzip, bzip2 or zstd.

    Raises:
        MissingInput: the file cannot be opened.
        BadInput: it is damaged or too large.
    """
    if path.is_dir():
        raise MissingInput(f"{_shown(path)} is a folder, not an MLIR file")
    try:
        if path == STDIN:  # whatever it is now, and once: it cannot be read again
            return _read_whole(io.BufferedReader(io.BytesIO(sys.stdin.buffer.read())), path)
        with path.open("rb") as stream:
            return _read_whole(stream, path)
    except OSError as error:
        why = error.strerror or error
        raise MissingInput(f"cannot read {_shown(path)}: {why}{_advice(path)}") from error


def _shown(path: Path) -> str:
    """A path in a message, in quotes if it is not plain that it is one word."""
    return shlex.quote(str(path))


def _advice(path: Path) -> str:
    """What else may be wrong with a path that cannot be read."""
    if " -- " in str(path):
        return "; the whole command line is one word: leave out the quotes around it"
    return ""


def _read_whole(stream: io.BufferedReader, path: Path) -> bytes:
    head = stream.peek(8)
    decompress = next((d for magic, d in _DECOMPRESSORS.items() if head.startswith(magic)), None)
    if decompress is None and not head.startswith(_ZSTD):
        data = _read_at_most(stream, MAX_INPUT_BYTES + 1)
    else:
        try:
            if decompress is None:
                data = _unpack_zstd(stream, MAX_INPUT_BYTES)
            else:
                with decompress(stream) as expanded:
                    data = _read_at_most(expanded, MAX_INPUT_BYTES + 1)
        except _DAMAGES as error:
            raise BadInput(f"{path} is compressed but damaged: {error}") from error
    if len(data) > MAX_INPUT_BYTES:
        raise BadInput(f"{path} is larger than {MAX_INPUT_BYTES} bytes")
    return data


def _read_at_most(stream: io.BufferedIOBase, limit: int) -> bytes:
    """The content up to a limit, for which memory is not taken in advance."""
    parts = []
    while limit > 0 and (part := stream.read(min(_CHUNK, limit))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _unpack_zstd(stream: BinaryIO, limit: int) -> bytes:
    """Decompress all frames. The library's own reader does not detect truncated files."""
    expanded = bytearray()
    rest = b""
    while (chunk := rest or stream.read(_ZSTD_CHUNK)) and len(expanded) <= limit:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while chunk and not frame.eof and len(expanded) <= limit:
            expanded += frame.decompress(chunk)
            chunk = b"" if frame.eof else stream.read(_ZSTD_CHUNK)
        if not frame.eof and len(expanded) <= limit:
            raise EOFError("unexpected end of file")
        rest = frame.unused_data
    return bytes(expanded)


def has_only_comments(data: bytes) -> bool:
    """Whether a text has no line that is not a comment. A compiler may still fail on it."""
    lines = map(bytes.strip, data.splitlines())
    return all(not line or line.startswith(_COMMENT) for line in lines)


def require_text(data: bytes, path: Path) -> None:
    """Check that there is something in a file.

    Raises:
        BadInput: it is empty.
    """
    if not data.strip():
        raise BadInput(f"{path} is empty")


def _decode(data: bytes, path: Path) -> str:
    require_text(data, path)
    for mark, remedy in _MARKS.items():
        if data.startswith(mark):
            raise BadInput(f"{path} begins with a byte order mark; {_applied(remedy, path)}")
    if data.startswith(BYTECODE_MAGIC):
        raise BadInput(
            f"{path} is MLIR bytecode that the compiler's tool cannot read; convert it to text: "
            f"{DEFAULT.opt} {path} -o {path.stem}.mlir"
        )
    if b"\0" in data:
        raise BadInput(f"{path} is a binary file, not MLIR text")
    # The compiler takes any bytes in comments and strings, and they stay as they are.
    return data.decode(errors="surrogateescape")


def _applied(remedy: str, path: Path) -> str:
    """What to type to have a filter mend the text of a file, which may be compressed or a pipe."""
    if path == STDIN or not path.is_file():  # it cannot be read again
        return f"to remove it, pipe the text through: {remedy}"
    name = shlex.quote(str(path))
    with path.open("rb") as stream:
        head = stream.read(8)
    unpack = next((one for magic, one in _UNPACKING.items() if head.startswith(magic)), "")
    shown = f"{unpack} {name} | {remedy}" if unpack else f"{remedy} {name}"
    return f"to make a file without it: {shown} > FILE"


def check_output(output: Path, path: Path) -> None:
    """Check, before hours of work, that `output` can be written and is not the input.

    Raises:
        UsageError: the output is the input file.
        OutputNotWritable: the output cannot be written.
    """
    if _is_stream(output):
        raise UsageError(f"the result is replaced as it shrinks; give a file with -o, not {output}")
    if output.is_dir():
        raise OutputNotWritable(f"the output {output} is a folder; give a file name")
    if output.exists() and output.samefile(path):
        raise UsageError(
            f"the output would overwrite the input {path}; choose another file with -o"
        )
    if not is_plain(output):
        return
    if not output.parent.is_dir():
        raise OutputNotWritable(f"cannot write {output}: its folder does not exist")
    probe = _temporary(output)
    try:  # permission bits do not reveal full or read-only file systems
        _create(probe, b"", mode=0o600)
    except OSError as error:
        raise OutputNotWritable(
            f"cannot write to {output.parent}: {error.strerror}; choose another folder with -o"
        ) from error
    finally:
        with suppress(OSError):  # on a read-only file system, there is nothing to remove either
            probe.unlink(missing_ok=True)


def write_atomic(
    path: Path, content: str | bytes, *, durable: bool = True, through: Path | None = None
) -> None:
    """Write a file atomically: readers see the old or the new content, even after a crash.

    Symbolic links are followed; devices and pipes are written to directly. Without `durable`, the
    system decides when the content reaches the disk: killing this program loses nothing, but a
    power failure may, on some file systems both the old content and the new. The temporary file is
    `through`, if given and on the same file system; otherwise, it is next to the file.

    Raises:
        OutputNotWritable: the file cannot be written. The old content is kept, and no temporary
            file is left behind.
    """
    data = content.encode(errors="surrogateescape") if isinstance(content, str) else content
    try:
        if not is_plain(path):
            path.write_bytes(data)
            return
        target = path.resolve()
        temporary = _temporary(target, through)
        with _write_lock:
            try:
                _create(temporary, data, mode=_mode_of(target), durable=durable)
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OutputNotWritable(f"cannot write {path}: {error.strerror or error}") from error


def _is_stream(path: Path) -> bool:
    """Whether a path names an open file of a process, such as /dev/stdout.

    Where that leads changes once the file is replaced.
    """
    for _ in range(_MOST_LINKS):
        if _STREAM.match(str(path)):
            return True
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return False


def is_plain(path: Path) -> bool:
    """Whether `path` is, or would become, a regular file; /dev/null must not be replaced."""
    return path.is_file() or not path.exists()


def _temporary(path: Path, through: Path | None = None) -> Path:
    """The path of the temporary file: fixed, so leftovers of killed processes do not accumulate."""
    if through is not None and _can_rename(through.parent, path.parent):
        return through
    return path.with_name(f".{path.name}.tmp")


def _can_rename(source: Path, target: Path) -> bool:
    """Whether a file of the folder `source` can be renamed into the folder `target`."""
    try:
        here, there = source.lstat(), target.stat()
    except OSError:
        return False
    return stat.S_ISDIR(here.st_mode) and here.st_dev == there.st_dev


def _create(path: Path, data: bytes, *, mode: int, durable: bool = True) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        if durable:
            os.fsync(descriptor)
        if mode:
            os.fchmod(descriptor, mode)


def _mode_of(path: Path) -> int:
    """The permissions of an existing file, or 0 for the defaults of a new file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0
