"""One failure on several real releases."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reducer.bisect import ReleaseRunner, ReleaseVerdict
from reducer.bisect.classifier import ReleaseClassifier
from reducer.cli.commands.bisect import query_of
from reducer.cli.request.oracle_options import OracleOptions
from reducer.storage.journal import Journal
from tests.support.corpus import Case
from tests.support.fake_releases import Release, Releases


@pytest.mark.iree
def test_a_crash_below_a_nested_pipeline_is_the_same_crash(
    corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    """3.3.0 reaches the pass from another pass, later releases directly."""
    case = corpus("matmul-k0-sigfpe")
    words: Sequence[str] = ("iree-compile", *case.runs[0].flags)
    options = OracleOptions(source=Path("input.mlir"), words=tuple(words))
    query = query_of(options, case.input_text())
    journal = Journal.open(tmp_path / "journal", identity={}, log=lambda message: None)
    try:
        runner = ReleaseRunner(query, journal, log=lambda message: None)
        classifier = ReleaseClassifier(runner, "3.3.0")
        results = [classifier.test(version) for version in ("3.8.0", "3.13.0")]
    finally:
        journal.close()
    assert [result.verdict for result in results] == [ReleaseVerdict.BAD] * 2
    assert {result.bucket for result in results} == {classifier.reference.signature.bucket}


STACK = """\
Stack dump:
 #0 0x00007f6911000abc a::fold(int) a.cpp:0:0
 #1 0x00007f6911000def a::TidyPass::runOnOperation() b.cpp:0:0
"""


def test_a_crash_that_is_not_there_on_every_run_is_looked_for_in_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What reads freed memory may crash on each run of one release and every third of another."""
    (tmp_path / "stack").write_text(STACK)
    (tmp_path / "count").write_text("0")
    crash = f"has x.bad && {{ cat {tmp_path}/stack >&2; kill -SEGV $$; }}\n"
    rarely = f"""has x.bad && {{
n=$(cat {tmp_path}/count); echo $((n + 1)) > {tmp_path}/count
[ $((n % 3)) -ne 2 ] || {{ cat {tmp_path}/stack >&2; kill -SEGV $$; }}
}}
exit 0
"""
    made = {"3.3.0": Release(), "3.8.0": Release(rarely), "3.13.0": Release(crash)}
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(Releases(tmp_path, made).cache))
    options = OracleOptions(source=Path("input.mlir"), words=("iree-compile", "--iree-target=x"))
    query = query_of(options, '"x.bad"() : () -> ()\n')
    with Journal.reopen(tmp_path / "journal", log=lambda message: None) as journal:
        classifier = ReleaseClassifier(ReleaseRunner(query, journal), "3.13.0")
        never, rare = classifier.test("3.3.0"), classifier.test("3.8.0")
        again = ReleaseClassifier(ReleaseRunner(query, journal), "3.8.0")
    assert never.verdict is ReleaseVerdict.GOOD
    assert again.reference.result.verdict is ReleaseVerdict.BAD
    assert (rare.verdict, rare.notes) == (ReleaseVerdict.BAD, ("on 1 of 3 runs",))
