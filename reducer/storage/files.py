"""Reads the input with its faults named, and writes files so that they are whole or not there."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import stat
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import zstandard

from oracles.profiles import DEFAULT
from reducer.errors import BadInput, MissingInput, OutputNotWritable, UsageError

MAX_INPUT_BYTES = 2**31 - 1
"""The parser counts bytes in 32 bits. Also what keeps a compressed bomb from filling memory."""

BYTECODE_MAGIC = b"ML\xefR"
"""What MLIR bytecode starts with."""

_DECOMPRESSORS: dict[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = {
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
}
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_CHUNK = 4096  # bytes; can expand to 128 MB
COMPRESSED_SUFFIXES = (".xz", ".gz", ".bz2", ".zst")
"""What the names of compressed files end with."""

_DAMAGES = (OSError, EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
_write_lock = threading.Lock()


@dataclass(frozen=True)
class InputText:
    """The text to reduce, decompressed, and where it came from."""

    path: Path
    text: str

    @cached_property
    def sha256(self) -> str:
        """The hash of the text as UTF-8, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_input(path: Path) -> InputText:
    """The text of the file at `path`, which may be compressed.

    Raises MissingInput when it cannot be opened, BadInput when it holds no text to reduce.
    """
    return InputText(path, _decode(read_data(path), path))


def read_data(path: Path) -> bytes:
    """What the file at `path` holds, which may be compressed with xz, gzip, bzip2 or zstd.

    Raises MissingInput when it cannot be opened, BadInput when it is damaged or too large.
    """
    if path.is_dir():
        raise MissingInput(f"{path} is a folder, not an MLIR file")
    try:
        with path.open("rb") as stream:
            return _read_whole(stream, path)
    except OSError as error:
        raise MissingInput(f"cannot read {path}: {error.strerror or error}") from error


def _read_whole(stream: io.BufferedReader, path: Path) -> bytes:
    head = stream.peek(8)
    decompress = next((d for magic, d in _DECOMPRESSORS.items() if head.startswith(magic)), None)
    if decompress is None and not head.startswith(_ZSTD):
        data = stream.read(MAX_INPUT_BYTES + 1)
    else:
        try:
            if decompress is None:
                data = _unpack_zstd(stream, MAX_INPUT_BYTES)
            else:
                with decompress(stream) as expanded:
                    data = expanded.read(MAX_INPUT_BYTES + 1)
        except _DAMAGES as error:
            raise BadInput(f"{path} is compressed but damaged: {error}") from error
    if len(data) > MAX_INPUT_BYTES:
        raise BadInput(f"{path} is larger than {MAX_INPUT_BYTES} bytes")
    return data


def _unpack_zstd(stream: BinaryIO, limit: int) -> bytes:
    """All frames. The library's own reader takes a file that was cut short for a whole one."""
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


def _decode(data: bytes, path: Path) -> str:
    if not data.strip():
        raise BadInput(f"{path} is empty")
    if data.startswith(BYTECODE_MAGIC):
        raise BadInput(
            f"{path} is MLIR bytecode; convert it to text: {DEFAULT.opt} {path} -o {path.stem}.mlir"
        )
    if b"\0" in data:
        raise BadInput(f"{path} is a binary file, not MLIR text")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path} is not valid UTF-8 (line {line})") from error


def default_output(path: Path) -> Path:
    """Where the reproducer of the input at `path` goes: model.mlir.xz -> model.reduced.mlir."""
    name = path.name
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return path.with_name(name.removesuffix(".mlir") + ".reduced.mlir")


def default_journal(path: Path, output: Path) -> Path:
    """Where the journal goes: beside the output, or beside the input if that is no plain file."""
    target = output if _is_plain(output) else default_output(path)
    return target.with_name(target.name.removesuffix(".mlir") + ".journal")


def check_output(output: Path, path: Path) -> None:
    """Makes sure, before hours of work, that `output` can be written and is not the input.

    Raises UsageError or OutputNotWritable.
    """
    if output.is_dir():
        raise OutputNotWritable(f"the output {output} is a folder; give a file name")
    if output.exists() and output.samefile(path):
        raise UsageError(
            f"the output would overwrite the input {path}; choose another file with -o"
        )
    if not _is_plain(output):
        return
    if not output.parent.is_dir():
        raise OutputNotWritable(f"cannot write {output}: its folder does not exist")
    probe = _temporary(output)
    try:  # only trying tells: permission bits say nothing of full or read-only file systems
        _create(probe, b"", mode=0o600)
    except OSError as error:
        raise OutputNotWritable(
            f"cannot write to {output.parent}: {error.strerror}; choose another folder with -o"
        ) from error
    finally:
        probe.unlink(missing_ok=True)


def write_atomic(path: Path, content: str | bytes) -> None:
    """Writes a file so that readers, and whoever comes after a crash, see all of it or the old one.

    A link keeps pointing to its target; a device or a pipe is simply written to.
    Raises OutputNotWritable; the old content is then still there, and no temporary file.
    """
    data = content.encode(errors="surrogateescape") if isinstance(content, str) else content
    try:
        if not _is_plain(path):
            path.write_bytes(data)
            return
        target = path.resolve()
        temporary = _temporary(target)
        with _write_lock:
            try:
                _create(temporary, data, mode=_mode_of(target))
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OutputNotWritable(f"cannot write {path}: {error.strerror or error}") from error


def _is_plain(path: Path) -> bool:
    """Whether `path` is, or would become, an ordinary file: replacing /dev/null would be unkind."""
    return path.is_file() or not path.exists()


def _temporary(path: Path) -> Path:
    """A fixed name, so that what a killed process left is taken over and does not pile up."""
    return path.with_name(f".{path.name}.tmp")


def _create(path: Path, data: bytes, *, mode: int) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)
        if mode:
            os.fchmod(descriptor, mode)


def _mode_of(path: Path) -> int:
    """The permissions to keep, or 0 for those of any new file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0
