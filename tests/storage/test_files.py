"""A file is written whole or not at all, and a verdict that was stored is found again.

That holds through crashes, full disks and concurrent use. A reduction resumes only its own journal
and leaves those of others alone.

This file: reading the input and writing results.
"""

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reducer.errors import BadInput, ExitCode, MissingInput, OutputNotWritable, UsageError
from reducer.storage import files
from reducer.storage.files import (
    STDIN,
    check_output,
    has_only_comments,
    read_input,
    write_atomic,
)

TEXT = "func.func @f() {\n  return // gr\u00fc\u00dfe\n}\r\n"


# ---- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "compress", [bytes, lzma.compress, gzip.compress, bz2.compress], ids=lambda c: c.__module__
)
def test_reads_text_as_it_is_compressed_or_not(tmp_path: Path, compress) -> None:
    path = tmp_path / "whatever-the-name"  # the content decides, not the suffix
    path.write_bytes(compress(TEXT.encode()))
    assert read_input(path).text == TEXT


def test_any_bytes_may_be_in_comments(tmp_path: Path) -> None:
    path, data = tmp_path / "latin-1.mlir", b"module {}\n// caf\xe9\n"
    path.write_bytes(data)
    read = read_input(path)
    assert read.text.encode(errors="surrogateescape") == data


def test_the_hash_is_that_of_the_text(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.mlir", tmp_path / "a.mlir.xz"
    plain.write_bytes(TEXT.encode())
    packed.write_bytes(lzma.compress(TEXT.encode()))
    assert read_input(plain).text == read_input(packed).text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\xef\xbb\xbfmodule {}\n", r"byte order mark.*sed '1s/\^\\xEF\\xBB\\xBF//'"),
        ("module {}\n".encode("utf-16"), "byte order mark.*iconv -f UTF-16 -t UTF-8"),
        (b"ML\xefR\x0dMLIR13.0.0\0", "bytecode"),
        (b"module {\0}", "binary"),
        (lzma.compress(TEXT.encode() * 99)[:-40], "damaged"),
        (gzip.compress(TEXT.encode() * 99)[:-9], "damaged"),
        (b"BZh9 is no bzip2", "damaged"),
    ],
    ids=[
        "nothing",
        "blank",
        "utf-8-sig",
        "utf-16",
        "bytecode",
        "binary",
        "xz",
        "gzip",
        "bzip2",
    ],
)
def test_bad_content_is_explained(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "input.mlir"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=words) as caught:
        read_input(path)
    assert "input.mlir" in str(caught.value)
    assert caught.value.exit_code == ExitCode.BAD_INPUT == 65


def test_a_mark_is_removed_from_what_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remedy makes a file that is right, whatever the input is compressed with."""
    marked = b"\xef\xbb\xbf" + TEXT.encode()
    packers = {"a b": bytes, "a.xz": lzma.compress, "a.gz": gzip.compress}
    if shutil.which("xzcat") is None:
        del packers["a.xz"]
    for name, pack in packers.items():
        path = tmp_path / name
        path.write_bytes(pack(marked))
        with pytest.raises(BadInput, match="to make a file without it") as caught:
            read_input(path)
        remedy = str(caught.value).partition("without it: ")[2].replace("FILE", "mended")
        subprocess.run(["sh", "-c", remedy], check=True, cwd=tmp_path)
        assert read_input(tmp_path / "mended").text == TEXT

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(marked)))
    with pytest.raises(BadInput, match=r"pipe the text through: sed '[^ ]*'$"):
        read_input(STDIN)


def test_what_has_only_comments_is_read(tmp_path: Path) -> None:
    """A compiler may fail on it, or on an expectation that is in the comments."""
    assert has_only_comments(b"// nothing\n\n // else")
    assert not has_only_comments(b"// nothing\nmodule {}")
    path = tmp_path / "a.mlir"
    path.write_text("// nothing\n")
    assert read_input(path).text == "// nothing\n"


def test_a_pipe_with_a_mark_is_not_read_again() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"\xef\xbb\xbfmodule {}\n")
    os.close(writing)
    with pytest.raises(BadInput, match="to remove it, pipe the text through: sed"):
        read_input(Path(f"/dev/fd/{reading}"))
    os.close(reading)


def test_inputs_beyond_the_parsers_limit_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_INPUT_BYTES", 1000)
    path = tmp_path / "bomb.mlir.xz"
    path.write_bytes(lzma.compress(b"x" * 1001))
    with pytest.raises(BadInput, match="larger than 1000 bytes"):
        read_input(path)


def test_a_small_input_needs_little_memory(tmp_path: Path) -> None:
    """Where memory is limited, that for the largest input cannot even be asked for."""
    path = tmp_path / "input.mlir"
    path.write_text(TEXT)
    code = (
        "import resource, sys; from pathlib import Path; from reducer.storage import files\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "files.read_data(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True)


def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.mlir", tmp_path):
        with pytest.raises(MissingInput) as caught:
            read_input(path)
        assert caught.value.exit_code == ExitCode.NO_INPUT == 66


# ---- before writing --------------------------------------------------------------------------


def test_a_good_output_leaves_no_trace_of_the_check(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(TEXT)
    check_output(tmp_path / "out.mlir", tmp_path / "in.mlir")
    assert [path.name for path in tmp_path.iterdir()] == ["in.mlir"]


def test_the_output_must_not_be_the_input_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(TEXT)
    (tmp_path / "link.mlir").symlink_to("in.mlir")
    for output in (tmp_path / "in.mlir", tmp_path / "link.mlir", tmp_path / "." / "in.mlir"):
        with pytest.raises(UsageError, match="overwrite the input"):
            check_output(output, tmp_path / "in.mlir")


def test_the_output_needs_a_folder_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(TEXT)
    for output in (tmp_path, tmp_path / "no" / "out.mlir", Path("/proc/out.mlir")):
        with pytest.raises(OutputNotWritable) as caught:
            check_output(output, tmp_path / "in.mlir")
        assert caught.value.exit_code == ExitCode.CANNOT_WRITE == 73


# ---- writing ---------------------------------------------------------------------------------


def test_the_output_must_not_be_an_open_file(tmp_path: Path) -> None:
    """Replacing what /dev/stdout leads to would part it from what the shell has opened."""
    path = tmp_path / "in.mlir"
    path.write_text(TEXT)
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    (tmp_path / "link").symlink_to(tmp_path / "out")
    for output in (tmp_path / "out", tmp_path / "link", Path("/dev/fd/1")):
        with pytest.raises(UsageError, match=f"give a file with -o, not {output}"):
            check_output(output, path)
    check_output(Path("/dev/null"), path)


def test_replaces_the_whole_file_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out.mlir"
    path.write_text("old")
    path.chmod(0o640)
    write_atomic(path, TEXT)
    assert path.read_bytes() == TEXT.encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_atomic(tmp_path / "out.mlir", b"new")
    assert (tmp_path / "out.mlir").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_undecodable_bytes_round_trip(tmp_path: Path) -> None:
    write_atomic(tmp_path / "out.mlir", b"caf\xe9".decode(errors="surrogateescape"))
    assert (tmp_path / "out.mlir").read_bytes() == b"caf\xe9"


def test_writes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.mlir").write_text("old")
    (tmp_path / "link.mlir").symlink_to("real.mlir")
    write_atomic(tmp_path / "link.mlir", "new")
    assert (tmp_path / "link.mlir").is_symlink()
    assert (tmp_path / "real.mlir").read_text() == "new"


def test_does_not_replace_a_device(tmp_path: Path) -> None:
    write_atomic(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()


def test_leftovers_of_a_killed_writer_are_replaced(tmp_path: Path) -> None:
    (tmp_path / ".out.mlir.tmp").write_text("half a fi")
    write_atomic(tmp_path / "out.mlir", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out.mlir"]


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.mlir"
    path.write_text("old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OutputNotWritable, match="No space left"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_only_a_durable_write_waits_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    write_atomic(tmp_path / "out.mlir", "soon", durable=False)
    assert not synced and (tmp_path / "out.mlir").read_text() == "soon"
    write_atomic(tmp_path / "out.mlir", "now")
    assert len(synced) == 1
