"""The folder and the zip of it, with a script that stands in for the compiler."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from reducer.bundle import make_bundle
from reducer.bundle.check import Check
from reducer.bundle.facts import SCHEMA
from reducer.bundle.trail import Trail
from tests.bundle.facts import PROGRAM, facts
from tests.support.fake_compilers import FAIL, write_script

FILES = {"metadata.json", "report.md", "repro.lit.mlir", "repro.mlir", "repro.sh"}


@pytest.fixture
def compiler(tmp_path: Path) -> Path:
    stands_last = FAIL.replace("$input", "repro.mlir").replace("has x.bad", "grep -q x.bad *.mlir")
    return write_script(tmp_path / "iree-compile", stands_last)


def test_a_report_is_seen_to_hold(tmp_path: Path, compiler: Path) -> None:
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=compiler)
    assert bundle.verified
    assert {path.name for path in bundle.folder.iterdir()} == FILES
    known = json.loads((bundle.folder / "metadata.json").read_text())
    assert (known["schema"], known["verified"]) == (SCHEMA, True)
    assert known["output"]["path"] == "repro.mlir"
    with zipfile.ZipFile(bundle.archive) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == FILES
        for name in archive.namelist():
            assert archive.read(name) == (bundle.folder / name.partition("/")[2]).read_bytes()


def test_the_same_facts_make_the_same_bytes(tmp_path: Path, compiler: Path) -> None:
    one = make_bundle(facts(), tmp_path / "one", executable=compiler).archive.read_bytes()
    two = make_bundle(facts(), tmp_path / "two", executable=compiler).archive.read_bytes()
    assert one == two


def test_it_says_if_it_does_not_hold(tmp_path: Path) -> None:
    healthy = write_script(tmp_path / "iree-compile", "exit 0\n")
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=healthy)
    assert (bundle.status, bundle.verified) == (1, False)
    assert "Not verified" in (bundle.folder / "report.md").read_text()


def test_comments_go_where_they_change_the_failure(tmp_path: Path) -> None:
    fussy = write_script(tmp_path / "iree-compile", 'grep -q "^//" repro.mlir && exit 0\n' + FAIL)
    fussy.write_text(fussy.read_text().replace("$input", "repro.mlir"))
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=fussy)
    if bundle.verified:
        assert (bundle.folder / "repro.mlir").read_text() == PROGRAM


def test_what_is_too_large_stays_out_of_the_archive(tmp_path: Path, compiler: Path) -> None:
    noise = "".join(chr(0x4E00 + (n * 7919 + n * n * 31) % 20000) for n in range(14_000_000))
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=compiler, page=noise)
    assert bundle.left_out == ("report.html",)
    assert bundle.archive.stat().st_size <= 25_000_000
    assert (bundle.folder / "report.html").is_file()
    assert "`report.html`" in (bundle.folder / "report.md").read_text()


def test_a_file_of_the_command_goes_along(tmp_path: Path, compiler: Path) -> None:
    (tmp_path / "spec").write_text("x")
    carrying = replace(facts(), files={"spec": tmp_path / "spec"})
    bundle = make_bundle(carrying, tmp_path / "a.report", executable=compiler)
    assert (bundle.folder / "files" / "spec").read_text() == "x"


def test_a_stack_that_differs_from_run_to_run_is_not_looked_at(tmp_path: Path) -> None:
    crashes = write_script(tmp_path / "iree-compile", "kill -SEGV $$\n")
    trail = Trail(("a::f",), "lib.so", ("000", "001", "002", "003", "004", "005"))
    stack = "".join(f"{n}  lib.so 0x00007f000000000{n if n < 4 else 9}\n" for n in range(6))
    (tmp_path / "stack").write_text(stack)
    (tmp_path / "other").mkdir()
    wobbly = write_script(
        tmp_path / "other" / "iree-compile", f"cat '{tmp_path}/stack' >&2; kill -SEGV $$\n"
    )
    known = replace(facts(), check=Check(("iree-compile", "repro.mlir"), -11, trail=trail))
    strict = make_bundle(known, tmp_path / "a.report", executable=crashes)
    assert strict.verified
    assert "crashed_there" in (strict.folder / "repro.sh").read_text()
    lenient = make_bundle(known, tmp_path / "b.report", executable=wobbly)
    assert lenient.verified
    assert "crashed_there" not in (lenient.folder / "repro.sh").read_text()
