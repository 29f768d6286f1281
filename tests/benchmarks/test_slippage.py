"""The independent judge of slippage: how it tells ends apart, and what it calls a slip."""

import ast
import doctest
import json
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from benchmarks import slippage, slippage_ends, slippage_places, slippage_run
from benchmarks.slippage import Compared, Profile, Subject, figures, subjects, table, totals
from benchmarks.slippage_ends import (
    Answer,
    End,
    Failure,
    alike,
    first_error,
    judge,
    named_frames,
    read_end,
    skeleton,
)
from benchmarks.slippage_places import TARGETS, Place, places_of, select, target_of
from benchmarks.slippage_run import Runner, default_toolchains, installed
from reducer.toolchain import Toolchain
from tests.conftest import WHEELS

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "oracles" / "recorded"
MODULES = (slippage, slippage_ends, slippage_places, slippage_run)
ADD = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")


def imports(path: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("module", MODULES)
def test_judge_shares_nothing_with_the_product(module: object) -> None:
    names = set(imports(str(vars(module)["__file__"])))
    assert not {name for name in names if name.split(".")[0] in ("reducer", "oracles", "tests")}
    ours = {name for name in names if name.startswith("benchmarks")}
    assert ours <= {f"benchmarks.{one.__name__.rpartition('.')[2]}" for one in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_examples_work(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def recorded(compiler: str) -> list[tuple[str, str, End]]:
    """Group, file and end of each recorded text of a compiler."""
    lines = (RECORDED / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        (
            one["group"],
            one["file"],
            read_end(one["exit_code"], (RECORDED / one["file"]).read_text(), Failure()),
        )
        for one in map(json.loads, lines)
        if one["compiler"] == compiler
    ]


def test_real_texts_of_different_bugs_are_rarely_alike() -> None:
    """Only where the first error is the same to the letter: the targets differ, or the callers."""
    wrong = {
        frozenset((group, other))
        for (group, _, end), (other, _, another) in combinations(recorded("3.13.0"), 2)
        if group != other and alike(end, another)
    }
    assert wrong == {
        frozenset(("asm-vulkan", "asm-vmvx")),
        frozenset(("dominance", "dominance-return")),
        frozenset(("onnx-operator", "torch-operator")),
        # What names these is behind the first error.
        frozenset(("custom-call-bar", "custom-call-foo")),
        frozenset(("custom-call-bar", "custom-call-lu-pivots")),
        frozenset(("custom-call-foo", "custom-call-lu-pivots")),
    }


def test_real_texts_of_one_bug_are_nearly_always_alike() -> None:
    wrong = {
        group
        for (group, _, end), (other, _, another) in combinations(recorded("3.13.0"), 2)
        if group == other and not alike(end, another)
    }
    assert wrong == {"asm-cpu", "missing-callee"}  # a quoted word of the input


def text_of(name: str) -> str:
    return (RECORDED / name).read_text(encoding="utf-8")


def test_what_is_read_of_a_text() -> None:
    many = text_of("unused-sort-result/topk-21014-expert-3.13.0.txt")
    assert many.count("error:") > 1
    assert first_error(many) == "failed to bufferize op", "neither the place nor the second error"
    warned = text_of("topk-range/expert-3.13.0.txt")
    assert warned.startswith("warning: ")
    assert "value evaluated as 36028797018963968 is out of range" in first_error(warned)
    end = read_end(-6, text_of("softmax-f16-odd5/expert-3.13.0.txt"), Failure())
    assert end.kind == "crash" and end.detail.startswith("SIGABRT: LLVM ERROR: Cannot select: 0x")
    assert skeleton(end.detail).startswith("SIGABRT: LLVM ERROR: Cannot select: N: ch = store")
    below = named_frames(text_of("complex-dot2/symbolised-3.13.0.txt"))  # the handler
    assert below[:2] == ("mlir::FloatType::getWidth", "mlir::Type::getIntOrFloatBitWidth")
    assert named_frames(text_of("complex-dot2/expert-3.13.0.txt")) == (), "none has a name"
    assert read_end(1, text_of("usage/unknown-flag-3.13.0.txt"), Failure()).kind == "flag"


CRASH = End("crash", "SIGSEGV", ("a::b", "c::d"))


@pytest.mark.parametrize(
    ("end", "failure", "answer"),
    [
        (End("compiled"), Failure(), Answer.COMPILES),
        (CRASH, Failure(), Answer.ALIKE),
        (End("crash", "SIGSEGV"), Failure(), Answer.ALIKE),
        (End("crash", "SIGSEGV", ("a::b", "x::y")), Failure(), Answer.OTHERWISE),
        (End("crash", "SIGFPE", ("a::b", "c::d")), Failure(), Answer.OTHERWISE),
        (End("error", "SIGSEGV"), Failure(), Answer.OTHERWISE),
        (End("timeout"), Failure(), Answer.CANNOT_TELL),
        (End("timeout"), Failure(timeout=10), Answer.OTHERWISE),
        (End("memory"), Failure(timeout=10), Answer.CANNOT_TELL),
        (End("unparsed", "expected"), Failure(), Answer.CANNOT_TELL),
        (End("flag", "Unknown"), Failure(), Answer.CANNOT_TELL),
    ],
)
def test_answers(end: End, failure: Failure, answer: Answer) -> None:
    assert judge(end, CRASH, failure) is answer


def test_every_other_place_is_asked_once() -> None:
    places = places_of("iree-compile", "3.13.0", [*HIP, "--x"], ["3.8.0", "3.13.0"])
    assert [place.name for place in places] == [
        "home", "target:llvm-cpu", "target:vmvx", "target:vulkan", "target:cuda",
        "opt:O0", "opt:O1", "opt:O2", "opt:O3", "release:3.8.0",
    ]  # fmt: skip
    assert places[1].flags == ("--iree-hal-target-backends=llvm-cpu", "--x")
    assert places[5].flags == (*HIP, "--x", "--iree-opt-level=O0")
    assert places[-1].flags == (HIP[0], "--iree-hip-target=gfx942", "--x")


def test_other_programs_only_have_other_releases() -> None:
    places = places_of("iree-opt", "3.13.0", ["--canonicalize"], ["3.8.0", "3.13.0"])
    assert [place.name for place in places] == ["home", "release:3.8.0"]


def test_selected_target_is_recognized() -> None:
    for target in TARGETS:
        assert target_of(select(target, "3.13.0")) == target
    assert target_of(["--iree-hal-target-device=vulkan"]) == "vulkan"
    assert target_of(["--iree-opt-data-tiling"]) is None


@pytest.fixture(scope="module")
def runner(iree_toolchain: Callable[..., Toolchain]) -> Runner:
    for version in WHEELS:
        iree_toolchain(version)
    return Runner(default_toolchains())


@pytest.mark.iree
@pytest.mark.slow
@pytest.mark.parametrize("release", [WHEELS[0], WHEELS[-1]])
def test_both_spellings_of_the_chip_work(runner: Runner, release: str) -> None:
    place = Place("target:hip", release, "iree-compile", select("hip", release))
    assert runner.end(ADD, place, Failure()).kind == "compiled"


@pytest.mark.iree
@pytest.mark.slow
def test_table_of_flags_works_on_every_installed_release(runner: Runner) -> None:
    """All of it on the first and the last release, a target in turn on those between."""
    releases = installed(runner.toolchains)
    for number, release in enumerate(releases):
        is_end = release in (releases[0], releases[-1])
        for target in TARGETS if is_end else (TARGETS[number % len(TARGETS)],):
            place = Place(target, release, "iree-compile", select(target, release))
            assert runner.end(ADD, place, Failure()).kind == "compiled", place


@pytest.mark.iree
@pytest.mark.slow
def test_program_that_a_release_cannot_parse_says_nothing(runner: Runner) -> None:
    home = Place("home", "3.13.0", "iree-compile", select("vmvx", "3.13.0"))
    assert runner.end(ADD.replace("addf", "nosuchop"), home, Failure()).kind == "unparsed"
    invalid = ADD.replace("%0 = arith.addf %a, %a : tensor<4xf32>\n  return %0", "return %a, %a")
    invalid = invalid.replace("return %a, %a : ", "return %a, %a : tensor<4xf32>, ")
    assert runner.end(invalid, home, Failure()).kind == "error"  # it parses, and is not valid


@pytest.mark.iree
@pytest.mark.slow
def test_nothing_runs_twice(runner: Runner, tmp_path: Path) -> None:
    home = Place("home", "3.13.0", "iree-compile", select("vmvx", "3.13.0"))
    first = Runner(runner.toolchains, tmp_path / "cache.jsonl")
    end = first.end(ADD, home, Failure())
    again = Runner(runner.toolchains, tmp_path / "cache.jsonl")
    assert again.end("// A comment.\n" + ADD, home, Failure()) == end
    assert (first.runs, again.runs, again.spent) == (1, 0, 0.0)


SUBJECT = Subject("a-1", "a", "1", "crash", "iree-compile", ("--x",), Failure(), "", "", ("--x",))
HOME = Compared("home", Answer.ALIKE, Answer.ALIKE)
SLIP = Compared("target:vmvx", Answer.COMPILES, Answer.OTHERWISE)
NARROWED = Compared("opt:O2", Answer.ALIKE, Answer.COMPILES)
EQUAL = Compared("release:10.0.0", Answer.OTHERWISE, Answer.COMPILES)
MUTE = Compared("release:9.0.0", Answer.COMPILES, Answer.CANNOT_TELL)
PROFILE = Profile(SUBJECT, HOME, (SLIP, NARROWED, EQUAL, MUTE), 1.5)


def test_slips_and_narrowed_places_are_counted() -> None:
    assert totals([PROFILE]) == {
        "results": 1, "exposed": 1, "slipped": 1, "shared": 1, "narrowed": 1, "telling_places": 3,
        "healthy_places": 1, "slips": 1, "alike_places": 1, "narrowed_places": 1,
        "cpu_seconds": 1.5,
    }  # fmt: skip
    first = figures([PROFILE])["results"][0]
    assert (first["slips"], first["narrowed"]) == (["target:vmvx"], ["opt:O2"])


def test_places_can_be_left_out() -> None:
    some = PROFILE.only(["release:*", "opt:O2"])
    assert [one.place for one in some.elsewhere] == ["opt:O2", "release:10.0.0", "release:9.0.0"]
    assert totals([some])["slips"] == 0


def test_table_names_the_places() -> None:
    lines = table([PROFILE]).splitlines()
    assert lines[2] == (
        "| a-1 | crash | fails alike (its own command is without --x) | 3 of 4 | 1 | target:vmvx "
        "| 1 | opt:O2 |"
    )
    assert [line.split("|")[1].strip() for line in lines[6:10]] == [
        "opt:O2", "target:vmvx", "release:9.0.0", "release:10.0.0",
    ]  # fmt: skip


def result(folder: Path, case: str, wheel: str, report: object) -> None:
    folder.mkdir()
    row = {"case": case, "wheel": wheel, "status": "reduced"}
    (folder / "row.json").write_text(json.dumps(row))
    (folder / "report.json").write_text(json.dumps(report))


def test_results_are_read_with_the_case_of_each(tmp_path: Path) -> None:
    folder = tmp_path / "matmul-k0-sigfpe-3.13.0-20"
    result(folder, "matmul-k0-sigfpe", "3.13.0", {"command": ["iree-compile", "reduced.mlir"]})
    assert list(subjects(tmp_path)) == []
    (folder / "reduced.mlir").write_text(ADD)
    (one,) = subjects(tmp_path)
    assert (one.name, one.kind, one.program) == (folder.name, "crash", "iree-compile")
    assert one.dropped == one.flags == ("--iree-hal-target-backends=llvm-cpu",)
    assert one.trigger == (ROOT / "corpus" / one.case / "expert.mlir").read_text()
    assert list(subjects(tmp_path, ["another"])) == []
    assert list(subjects(tmp_path, inputs=True)) == [], "it has no model"


def test_a_model_can_be_the_trigger(tmp_path: Path) -> None:
    folder = tmp_path / "ds_real1_dyn-3.4.0"
    result(folder, "ds_real1_dyn", "3.4.0", {})
    (folder / "reduced.mlir").write_text(ADD)
    (alone,) = subjects(tmp_path)
    (whole,) = subjects(tmp_path, inputs=True)
    assert len(alone.trigger) < 1000 < len(whole.trigger)
