"""`mlir-reducer page` makes a page of a result, wherever its journal is."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import write_script

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def reduced(source: Path | str, fake: Path, *words: str) -> Result:
    done = run("reduce", source, "--no-report", "--no-pass-level", *words, "--", fake)
    assert done.exit_code == 0, done.output
    return done


def test_a_page_of_a_reduction(model: Path, fake: Path) -> None:
    """A later result in a device changes no command."""
    pages = []
    for output in ("in.reduced.mlir", "/dev/null"):
        assert f"{fake} in.reduced.mlir" in reduced("in.mlir", fake, "-v", "-o", output).stdout
        done = run("page", "in.reduced.mlir")
        assert (done.exit_code, done.stdout) == (0, "in.reduced/page.html\n"), done.output
        pages.append(Path("in.reduced/page.html").read_text())
    assert "x.bad" in pages[0] and "verified" in pages[0] and "Size over time" in pages[0]
    assert "fake in.reduced.mlir" in pages[0]
    assert pages[0].count("fake in.reduced.mlir") == pages[1].count("fake in.reduced.mlir")

    for words, code, said in (
        (("in.reduced.mlir", "-o", "in.reduced.mlir"), 2, "overwrite"),
        (("in.reduced.mlir", "-o", "in.reduced/journal"), 2, "overwrite"),
        (("none.mlir",), 66, ""),
        (("in.mlir", "--journal", "in.mlir"), 65, ""),
        (("in.reduced.mlir", "-o", "no/such/folder.html"), 73, ""),
    ):
        done = run("page", *words)
        assert done.exit_code == code and said in done.stderr, done.output


def test_a_page_of_nothing(tmp_path: Path) -> None:
    """The result is empty, and its comments would change the failure."""
    fails = "grep -Eq 'fake|module' $1 || { echo error: no >&2; exit 1; }\n"
    fake = write_script(tmp_path / "fake", fails)
    Path("in.mlir").write_text("// nothing\n")
    done = run("reduce", "in.mlir", "--", fake)
    assert done.exit_code == 0 and "is empty" not in done.stderr, done.output
    assert Path("in.reduced.mlir").read_bytes() == b""
    assert run("page", "in.reduced.mlir").exit_code == 0


def test_odd_names_and_places(model: Path, fake: Path) -> None:
    odd = "-<b>\udce9.mlir"
    reduced(model, fake, f"--output=./{odd}")
    Path(odd.removesuffix(".mlir"), "journal").rename("elsewhere")
    assert run("page", f"./{odd}").exit_code == 66
    done = run("page", f"./{odd}", "--journal", "elsewhere", "-o", "page.html")
    assert done.exit_code == 0, done.output
    assert "-&lt;b&gt;" in Path("page.html").read_text()
