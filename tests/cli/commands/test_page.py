"""`mlir-reducer page` makes a page of a result, wherever its journal is."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def reduced(source: Path | str, fake: Path, *words: str) -> Result:
    done = run("reduce", source, "--no-report", "--no-pass-level", *words, "--", fake)
    assert done.exit_code == 0, done.output
    return done


def test_odd_names_and_places(model: Path, fake: Path) -> None:
    odd = "-<b>\udce9.mlir"
    reduced(model, fake, f"--output=./{odd}")
    Path(odd.removesuffix(".mlir"), "journal").rename("elsewhere")
    assert run("page", f"./{odd}").exit_code == 66
    done = run("page", f"./{odd}", "--journal", "elsewhere", "-o", "page.html")
    assert done.exit_code == 0, done.output
    assert "-&lt;b&gt;" in Path("page.html").read_text()
