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


def test_what_is_found_what_is_reported_and_what_is_left_out(tmp_path: Path) -> None:
    """The programs in the folder of a result are made of a file that is there as well."""
    write_all(
        tmp_path,
        {
            **{"a.txt": "x", ".b.mlir": TEXT, ".mlir-reducer/c.mlir": TEXT, "d.py.gz": ""},
            **{"model.reduced/before-pass.mlir": "p", "model.reduced/journal": ""},
            **{"model.mlir": "m", "model.reduced.mlir": "r", "a/b.mlir": "b"},
            "remarks.mlir": "// RUN: true\n\n  // nothing yet\n",
            "empty.mlir": b"",
            "b.mlir.gz": gzip.compress(TEXT)[:-9],
            "c.mlir.zst": zstandard.compress(TEXT)[:-4],
            "e.mlir": b"a\0b",
        },
    )
    (tmp_path / "link.mlir").symlink_to("gone.mlir")
    os.mkfifo(tmp_path / "pipe.mlir")
    found, unreadable = find_inputs([tmp_path])
    assert [(one.places[0].shown, one.is_empty) for one in found] == [
        *(("model.mlir", False), ("model.reduced.mlir", False), ("remarks.mlir", True)),
        ("a/b.mlir", False),
    ]
    assert [one.place.shown for one in unreadable] == [
        *("b.mlir.gz", "c.mlir.zst", "e.mlir", "empty.mlir", "link.mlir", "pipe.mlir"),
    ]
    assert [one.reason.removeprefix(f"{tmp_path}/") for one in unreadable[-2:]] == [
        "link.mlir is a dangling link",
        "pipe.mlir is not a regular file",
    ]


def test_bytecode_is_known_by_its_content(tmp_path: Path) -> None:
    write_all(tmp_path, {"a.mlirbc": b"ML\xefR\x01\x00", "b.mlir": b"ML\xefR\x02\x00"})
    found, _ = find_inputs([tmp_path])
    assert all(one.bytecode for one in found)


def test_file_names_are_never_interpreted(tmp_path: Path) -> None:
    raw = b"-- \n'\"$(x)\xff.mlir"
    (tmp_path / os.fsdecode(raw)).write_bytes(TEXT)
    (found,), _ = find_inputs([tmp_path])
    assert found.data() == TEXT
    assert found.places[0].shown == "-- \\n'\"$(x)\\xff.mlir"


def test_a_file_is_named_itself_named_twice_changed_meanwhile_or_not_there(tmp_path: Path) -> None:
    (path,) = write_all(tmp_path, {"a.mlir": TEXT})
    (found,), _ = find_inputs([path, tmp_path])
    assert [place.shown for place in found.places] == ["a.mlir"]
    path.write_bytes(b"other")
    with pytest.raises(BadInput, match="changed"):
        found.data()
    with pytest.raises(MissingInput):
        find_inputs([tmp_path / "none"])


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
