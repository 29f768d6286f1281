import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path, PurePath

import pytest

from oracles import Kind
from reducer.asking import Cost
from reducer.toolchain import Toolchain
from reducer.triage import FlagsLine, Input
from reducer.triage.buckets import all_groups, occurrences
from reducer.triage.inputs import InputFile, content_digest
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.splitting import BucketSplitter
from tests.support.corpus import Case
from tests.support.triages import SUCCESS, Records, Silent, failure, triaged, write_all

SAME = failure("failed to legalize", Kind.LEGALIZATION, op="torch.constant.*")
VERSION = "3.13.0"


class Told:
    """An analysis defined by the test: the ops of a reproducer are the words of its text."""

    def __init__(self, lowered: frozenset[str]) -> None:
        self._lowered = lowered
        self._reached: dict[str, bool] = {}
        self.cost = Cost()

    def ops(self, one: StoredReproducer | None) -> frozenset[str]:
        if one is None or not one.minimal:
            return frozenset()
        return frozenset(word for word in one.text.split() if "." in word)

    def reached(self, one: StoredReproducer) -> bool | None:
        return self._reached.get(one.text)

    def reaches_failing_pass(self, one: StoredReproducer) -> bool:
        return self._reached.setdefault(one.text, not self.ops(one) & self._lowered)


class Shrinking:
    """Reduces an input to its first word; the result is not minimal for `doubtful` words."""

    def __init__(self, bench: "Bench", doubtful: frozenset[str]) -> None:
        self._bench = bench
        self._doubtful = doubtful
        self.reduced: list[str] = []

    def run(self, inputs: Mapping[str, Input]) -> None:
        records = self._bench.records
        names = [row["bucket"] for row in records.database.rows("SELECT bucket FROM buckets")]
        known = reproducers(records.database)
        for name in names:
            found = occurrences(records.database, [name])
            if name in known or not found:
                continue
            one = min(found, key=lambda one: (one.ops, one.input))
            word = inputs[one.input].data().decode().split()[0]
            self.reduced.append(word)
            records.reproducer(name, one.input, one.version or VERSION, word)
            minimal = word not in self._doubtful
            records.database.write(
                "UPDATE reproducers SET one_minimal = ? WHERE bucket = ?", minimal, name
            )


class Bench:
    """Inputs with the same signature, each a few words long; the cheaper ones come first."""

    def __init__(
        self,
        folder: Path,
        texts: tuple[str, ...],
        *,
        lowered: tuple[str, ...] = (),
        doubtful: tuple[str, ...] = (),
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.records = Records(folder)
        self.texts: dict[str, str] = {}
        self.inputs: dict[str, Input] = {}
        self.analysis = Told(frozenset(lowered))
        self.bucket_reducer = Shrinking(self, frozenset(doubtful))
        for text in texts:
            self.add(text)

    def add(self, text: str, version: str = VERSION, healthy: tuple[str, ...] = ()) -> None:
        """An input that fails on a release, and compiles on others."""
        path = self.folder / f"{len(self.texts)}.mlir"
        path.write_text(text)
        digest = content_digest(text.encode())
        self.texts[digest] = text
        self.inputs[digest] = Input(
            digest, (InputFile(path, PurePath(path.name)),), len(text), len(self.texts), False
        )
        self.records.store.add_input(digest, len(text), len(self.texts))
        self.records.result(digest, version, SAME)
        for other in healthy:
            self.records.result(digest, other, SUCCESS)

    def run(self) -> list[set[str]]:
        """Run the splitter; return the bugs, each with the texts that fail in its buckets."""
        self.bucket_reducer.run(self.inputs)
        splitter = BucketSplitter(
            self.records.store,
            self.analysis,  # type: ignore[arg-type]
            threading.Event(),
            Silent(),
        )
        splitter.run(self.inputs, self.bucket_reducer)  # type: ignore[arg-type]
        return self.bugs()

    def bugs(self) -> list[set[str]]:
        groups = all_groups(self.records.database)
        found = [
            {self.texts[one.input] for one in occurrences(self.records.database, group.names)}
            for group in groups
        ]
        return sorted(found, key=lambda texts: sorted(texts))


def test_an_unexplained_input_becomes_a_separate_bug(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.fft", "t.topk", "t.topk t.add", "t.fft t.mul"))
    assert bench.run() == [{"t.fft", "t.fft t.mul"}, {"t.topk", "t.topk t.add"}]
    assert bench.bucket_reducer.reduced == ["t.fft", "t.topk"]
    texts = sorted(group.root.text for group in all_groups(bench.records.database))
    assert [text.split(":")[0] for text in texts] == ["t.fft", "t.topk"]


@pytest.mark.parametrize(
    "order", [*permutations(("t.fft", "t.topk", "t.sort x", "t.topk t.add"))][::5]
)
def test_the_order_of_inputs_does_not_matter(tmp_path: Path, order: tuple[str, ...]) -> None:
    assert Bench(tmp_path, order).run() == [{"t.fft"}, {"t.sort x"}, {"t.topk", "t.topk t.add"}]


def test_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.fft", "t.topk"))
    first = bench.run()
    before = list(bench.bucket_reducer.reduced)
    assert bench.run() == first
    assert bench.bucket_reducer.reduced == before


def test_a_new_input_joins_the_bucket_that_explains_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.fft", "t.topk"))
    bench.run()
    bench.add("t.topk t.view")
    assert bench.run() == [{"t.fft"}, {"t.topk", "t.topk t.view"}]
    assert len(bench.bucket_reducer.reduced) == 2


@pytest.mark.parametrize("lowered", ["t.sort", "t.topk"])
def test_ops_converted_before_the_failing_pass_prove_nothing(tmp_path: Path, lowered: str) -> None:
    bench = Bench(tmp_path, ("t.sort", "t.topk"), lowered=(lowered,))
    assert bench.run() == [{"t.sort", "t.topk"}]
    reasons = [
        member.reason
        for group in all_groups(bench.records.database)
        for member in group.members
        if member.reason
    ]
    assert all("may get the same IR" in reason for reason in reasons)
    assert len(reasons) == (lowered == "t.topk")  # the other is found before any reduction


@pytest.mark.parametrize(
    ("healthy", "bugs"),
    [
        ((VERSION,), [{"t.attention"}, {"t.gather", "t.gather t.view"}]),
        (("3.4.0",), [{"t.attention", "t.gather", "t.gather t.view"}]),
    ],
)
def test_what_compiles_where_the_other_fails_is_another_bug(
    tmp_path: Path, healthy: tuple[str, ...], bugs: list[set[str]]
) -> None:
    bench = Bench(tmp_path, ("t.attention",), lowered=("t.attention", "t.gather"))
    for text in ("t.gather", "t.gather t.view"):
        bench.add(text, "3.3.0", healthy)
    assert bench.run() == bugs
    assert bench.run() == bugs


def test_an_op_in_common_outweighs_the_releases(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.sort",), lowered=("t.sort",))
    bench.add("t.sort t.view", "3.3.0", (VERSION,))
    assert bench.run() == [{"t.sort", "t.sort t.view"}]
    assert bench.bucket_reducer.reduced == ["t.sort"]


def test_only_minimal_reproducers_explain_and_split(tmp_path: Path) -> None:
    texts = ("t.fft", "t.topk", "t.sort")
    assert Bench(tmp_path / "a", texts, doubtful=("t.fft",)).run() == [set(texts)]
    bench = Bench(tmp_path / "b", texts, doubtful=("t.topk",))
    assert bench.run() == [set(texts)]
    assert bench.bucket_reducer.reduced == ["t.fft", "t.topk"]  # one at a time


def test_buckets_with_a_stack_are_never_split(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.fft", "t.topk"))
    facts = replace(SAME, frames=("f", "g")).to_json()
    bench.records.database.write("UPDATE buckets SET signature = ?", json.dumps(facts))
    assert bench.run() == [{"t.fft", "t.topk"}]


def test_cross_runs_of_reproducers_move_to_the_right_bucket(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("t.fft", "t.topk"))
    bench.run()
    known = reproducers(bench.records.database)
    names = {one.text: one.bucket for one in known.values()}
    for one in known.values():
        bench.records.result(one.digest, "3.8.0", SAME, file=False)
    splitter = BucketSplitter(
        bench.records.store,
        bench.analysis,  # type: ignore[arg-type]
        threading.Event(),
        Silent(),
    )
    splitter.sort_reproducers()
    for one in known.values():
        row = bench.records.database.row("SELECT bucket FROM results WHERE input = ?", one.digest)
        assert row is not None
        assert row["bucket"] == names[one.text]


UNSORTED = """\
func.func @f(%a: !torch.vtensor<[{n},4],f32>) -> !torch.vtensor<[{n},2],f32> {{
  %k = torch.constant.int 2
  %d = torch.constant.int -1
  %t = torch.constant.bool true
  %s = torch.constant.bool false
  %v, %i = torch.aten.topk %a, %k, %d, %t, %s : !torch.vtensor<[{n},4],f32>, !torch.int, \
!torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[{n},2],f32>, !torch.vtensor<[{n},2],si64>
  return %v : !torch.vtensor<[{n},2],f32>
}}
"""


@pytest.mark.iree
@pytest.mark.slow
def test_two_ops_without_a_lowering_are_two_bugs_at_once(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    fft = (corpus("torch-fft-constant-int").folder / "expert.mlir").read_text()
    write_all(
        tmp_path,
        {"a.mlir": fft, "b.mlir": UNSORTED.format(n=64), "c.mlir": UNSORTED.format(n=8)},
    )
    version = iree_toolchain().version
    summary = triaged(tmp_path, (version,), FlagsLine(()))
    assert sorted(bug.paths for bug in summary.bugs) == [["a.mlir"], ["b.mlir", "c.mlir"]]
    ops = {bug.group.root.signature.op for bug in summary.bugs}
    assert ops == {"torch.aten.fft_fft", "torch.aten.topk"}
    assert all(bug.reproducer and bug.reproducer.minimal for bug in summary.bugs)
    again = triaged(tmp_path, (version,), FlagsLine(()))
    assert (again.compiler_runs, again.calls) == (0, 0)
    assert [bug.paths for bug in again.bugs] == [bug.paths for bug in summary.bugs]


@pytest.mark.iree
@pytest.mark.slow
def test_two_ops_that_become_one_are_one_bug(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    names = "argsort-1000-cuda-bufferize", "seed-21014-topk-bufferize-40"
    for name in names:
        write_all(tmp_path, {f"{name}.mlir": (corpus(name).folder / "expert.mlir").read_text()})
    version = iree_toolchain().version
    lines = (
        FlagsLine(("--iree-hal-target-device=cuda",), ("argsort*",)),
        FlagsLine(("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"), ("seed*",)),
    )
    summary = triaged(tmp_path, (version,), *lines, common=())
    (bug,) = summary.bugs
    assert len(bug.paths) == 2
    assert "torch.aten.topk" not in bug.text
