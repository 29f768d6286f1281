"""`mlir-reducer page` after a real `mlir-reducer reduce`."""

from pathlib import Path

from tests.support.fake_compilers import FAIL, Reducer, program, write_script


def test_a_page_of_a_reduction(tmp_path: Path) -> None:
    reducer = Reducer(tmp_path)
    fake = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    assert reducer("reduce", "in.mlir", "--", fake).returncode == 0
    done = reducer("page", "in.reduced.mlir")
    assert (done.returncode, done.stdout) == (0, "in.reduced/page.html\n"), done.stderr
    page = (tmp_path / "in.reduced" / "page.html").read_text()
    assert "x.bad" in page and "verified" in page and "Size over time" in page


def test_a_page_of_nothing(tmp_path: Path) -> None:
    """The result is empty, and its comments would change the failure."""
    reducer = Reducer(tmp_path)
    fake = write_script(
        tmp_path / "fake", "grep -Eq 'fake|module' $1 || { echo error: no >&2; exit 1; }\n"
    )
    (tmp_path / "in.mlir").write_text("// nothing\n")
    done = reducer("reduce", "in.mlir", "--", fake)
    assert done.returncode == 0 and "is empty" not in done.stderr, done.stderr
    assert (tmp_path / "in.reduced.mlir").read_bytes() == b""
    assert (tmp_path / "in.reduced" / "report" / "report.html").is_file()
    assert reducer("page", "in.reduced.mlir").returncode == 0


def test_a_later_result_in_a_device_changes_no_command(tmp_path: Path) -> None:
    reducer = Reducer(tmp_path)
    fake = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    pages = []
    for output in ("in.reduced.mlir", "/dev/null"):
        done = reducer("reduce", "in.mlir", "-o", output, "--", fake)
        assert f"{fake} in.reduced.mlir" in done.stdout
        assert reducer("page", "in.reduced.mlir").returncode == 0
        pages.append((tmp_path / "in.reduced" / "page.html").read_text())
    assert "fake in.reduced.mlir" in pages[0]
    assert pages[0].count("fake in.reduced.mlir") == pages[1].count("fake in.reduced.mlir")


def test_odd_names_and_places(tmp_path: Path) -> None:
    reducer = Reducer(tmp_path)
    fake = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "a b.mlir").write_text(program())
    odd = "-<b>\udce9.mlir"
    assert reducer("reduce", "a b.mlir", f"--output=./{odd}", "--", fake).returncode == 0
    journal = tmp_path / "elsewhere"
    (tmp_path / odd.removesuffix(".mlir") / "journal").rename(journal)
    assert reducer("page", f"./{odd}").returncode == 66
    done = reducer("page", f"./{odd}", "--journal", journal, "-o", "page.html")
    assert done.returncode == 0, done.stderr
    assert "-&lt;b&gt;" in (tmp_path / "page.html").read_text()


def test_mistakes(tmp_path: Path) -> None:
    reducer = Reducer(tmp_path)
    fake = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    reducer("reduce", "in.mlir", "--", fake)
    for words in (
        ("in.reduced.mlir", "-o", "in.reduced.mlir"),
        ("in.reduced.mlir", "-o", "in.reduced/journal"),
    ):
        done = reducer("page", *words)
        assert done.returncode == 2 and "overwrite" in done.stderr, done.stderr
    assert reducer("page", "none.mlir").returncode == 66
    assert reducer("page", "in.mlir", "--journal", "in.mlir").returncode == 65
    assert reducer("page", "in.reduced.mlir", "-o", "no/such/folder.html").returncode == 73
