import bz2
import gzip
import lzma
import os
from pathlib import Path

import pytest
import zstandard

from reducer.errors import BadInput, MissingInput
from reducer.triage.inputs import content_digest, find_inputs, printable
from tests.support.triages import write_all

TEXT = b"func.func @f() {\n  return\n}\n"


def test_files_with_one_content_are_one_input(tmp_path: Path) -> None:
    packed = {
        "a.mlir": TEXT,
        "b.mlir.gz": gzip.compress(TEXT),
        "c/d.mlir.xz": lzma.compress(TEXT),
        "e.mlir.bz2": bz2.compress(TEXT),
        "f.mlir.zst": zstandard.compress(TEXT[:9]) + zstandard.compress(TEXT[9:]),
    }
    write_all(tmp_path, packed)
    (found,), unreadable = find_inputs([tmp_path])
    assert [place.shown for place in found.places] == [
        "a.mlir", "b.mlir.gz", "e.mlir.bz2", "f.mlir.zst", "c/d.mlir.xz",
    ]  # fmt: skip
    assert found.data() == TEXT
    assert found.digest == content_digest(TEXT)
    assert (found.size, found.ops, found.bytecode) == (len(TEXT), 1, False)
    assert unreadable == []


def test_what_is_no_mlir_or_hidden_is_left_out(tmp_path: Path) -> None:
    write_all(
        tmp_path, {"a.txt": "x", ".b.mlir": TEXT, ".mlir-reducer/c.mlir": TEXT, "d.py.gz": ""}
    )
    assert find_inputs([tmp_path]) == ([], [])


def test_the_folder_of_a_result_is_left_out(tmp_path: Path) -> None:
    """Its programs are made of a file that is there as well."""
    for name in ("model.mlir", "model.reduced.mlir", "model.reduced/before-pass.mlir", "a/b.mlir"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "model.reduced" / "journal").touch()
    found, _ = find_inputs([tmp_path])
    assert [one.places[0].shown for one in found] == [
        "model.mlir",
        "model.reduced.mlir",
        "a/b.mlir",
    ]


def test_bytecode_is_known_by_its_content(tmp_path: Path) -> None:
    write_all(tmp_path, {"a.mlirbc": b"ML\xefR\x01\x00", "b.mlir": b"ML\xefR\x02\x00"})
    found, _ = find_inputs([tmp_path])
    assert all(one.bytecode for one in found)


def test_what_is_no_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "link.mlir").symlink_to("gone.mlir")
    os.mkfifo(tmp_path / "pipe.mlir")
    found, unreadable = find_inputs([tmp_path])
    assert found == []
    assert [one.reason.removeprefix(f"{tmp_path}/") for one in unreadable] == [
        "link.mlir is a link to nothing",
        "pipe.mlir is not a regular file",
    ]


def test_comments_are_an_input_without_ops(tmp_path: Path) -> None:
    (tmp_path / "remarks.mlir").write_text("// RUN: true\n\n  // nothing yet\n")
    write_all(tmp_path, {"text.mlir": TEXT})
    found, unreadable = find_inputs([tmp_path])
    assert [one.is_empty for one in found] == [True, False]
    assert unreadable == []


def test_unreadable_files_are_reported_and_skipped(tmp_path: Path) -> None:
    write_all(
        tmp_path,
        {
            "a.mlir": b"",
            "b.mlir.gz": gzip.compress(TEXT)[:-9],
            "c.mlir.zst": zstandard.compress(TEXT)[:-4],
            "e.mlir": b"a\0b",
            "f.mlir": TEXT,
        },
    )
    found, unreadable = find_inputs([tmp_path])
    assert [one.places[0].shown for one in found] == ["f.mlir"]
    assert [one.place.shown for one in unreadable] == [
        "a.mlir", "b.mlir.gz", "c.mlir.zst", "e.mlir",
    ]  # fmt: skip


def test_file_names_are_never_interpreted(tmp_path: Path) -> None:
    raw = b"-- \n'\"$(x)\xff.mlir"
    (tmp_path / os.fsdecode(raw)).write_bytes(TEXT)
    (found,), _ = find_inputs([tmp_path])
    assert found.data() == TEXT
    assert found.places[0].shown == "-- \\n'\"$(x)\\xff.mlir"


def test_a_file_named_itself_and_named_twice(tmp_path: Path) -> None:
    (path,) = write_all(tmp_path, {"a.mlir": TEXT})
    (found,), _ = find_inputs([path, tmp_path])
    assert [place.shown for place in found.places] == ["a.mlir"]


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(MissingInput):
        find_inputs([tmp_path / "none"])


def test_an_input_that_changes_meanwhile_is_not_mixed_up(tmp_path: Path) -> None:
    (path,) = write_all(tmp_path, {"a.mlir": TEXT})
    (found,), _ = find_inputs([tmp_path])
    path.write_bytes(b"other")
    with pytest.raises(BadInput, match="changed"):
        found.data()


def test_printable_leaves_plain_names_alone() -> None:
    assert printable("modèle 1.mlir") == "modèle 1.mlir"


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("module {}", True),
        ("// a\nmodule @m attributes {x = {y = 1}} {\n}\n", True),
        ('"builtin.module"() ({\n^bb0:\n}) : () -> ()\n', True),
        ('"builtin.module"() ({}) {x = 1} : () -> ()', True),
        (
            "#map = affine_map<() -> ()>\n!t = i32\nmodule {\n  module @a {\n  }\n} loc(unknown)",
            True,
        ),
        ("module {\n  func.func private @f()\n}", False),
        ("module { func.func private @f() }", False),
        ("modules.op {}", False),
        ('"x.op"() : () -> ()', False),
    ],
)
def test_a_module_with_nothing_in_it_holds_no_program(
    tmp_path: Path, text: str, is_empty: bool
) -> None:
    (tmp_path / "a.mlir").write_text(text)
    (found,), _ = find_inputs([tmp_path])
    assert found.is_empty is is_empty
