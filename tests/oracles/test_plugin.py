"""User-defined oracles, found as an installed package's entry point."""

import json
import re
import sys
import threading
import tomllib
from collections.abc import Callable
from importlib import invalidate_caches
from pathlib import Path

import pytest

from oracles import Command, Kind, Limits, Signature
from oracles.base import PluginError
from oracles.plugin import GROUP, Case, Plugin, PluginOracle, load_plugin, plugin_names
from reducer.toolchain import Toolchain
from tests.support.fake_compilers import FAIL, Reducer, program, write_script
from tests.support.plugins import install

PIPELINE = "--pass-pipeline=builtin.module(func.func(affine-loop-unroll))"
DOCS = (Path(__file__).parents[2] / "docs" / "custom-oracle.md").read_text()
LOOPS = """\
func.func @other(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func @f(%m: memref<64xf32>, %n: memref<64xf32>) {
  %c = arith.constant 1.0 : f32
  affine.for %i = 0 to 2 {
    memref.store %c, %n[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    memref.store %c, %m[%i] : memref<64xf32>
  }
  return
}
"""
WORDS = """\
class Words:
    def __init__(self, argument):
        self.word = argument
    def judge(self, case):
        result = case.run(case.command())
        if self.word == "raise":
            raise ValueError("no idea")
        if result.exit_code == 0:
            return None
        return "has it" if self.word in case.text else "fails without it"
"""


def block(language: str) -> str:
    """The code of the example in the documentation."""
    found = re.search(rf"```{language}\n(.*?)```", DOCS, re.S)
    assert found is not None
    return found[1]


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    reducer = Reducer(tmp_path)
    reducer.environment["PYTHONPATH"] += f":{tmp_path / 'site'}"
    return reducer


@pytest.mark.iree
def test_the_example_of_the_documentation(
    reducer: Reducer, iree_toolchain: Callable[..., Toolchain]
) -> None:
    project = tomllib.loads(block("toml"))["project"]
    entries = project["entry-points"][GROUP]
    install(reducer.home / "site", project["name"], block("python"), entries)
    (reducer.home / "loops.mlir").write_text(LOOPS)
    command = ["--", iree_toolchain().opt, PIPELINE]
    checked = reducer("check", "loops.mlir", "--test", "settles", *command)
    assert checked.returncode == 0, checked.stderr
    assert "plugin: settles: does not settle" in checked.stdout
    done = reducer("reduce", "loops.mlir", "--test", "settles", "--json", "-", *command)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verified"] and report["kind"] == "plugin"
    assert report["command"][:5] == [
        "mlir-reducer", "check", "loops.reduced.mlir", "--test", "settles"
    ]  # fmt: skip
    text = (reducer.home / "loops.reduced.mlir").read_text()
    assert text.count("affine.for") == 1 and "@other" not in text
    assert text.endswith("// plugin: settles: does not settle\n")
    assert reducer("check", "loops.mlir", "--test", "settles:9", *command).returncode == 1
    reducer.assert_clean()


def test_another_answer_is_another_failure(reducer: Reducer) -> None:
    install(reducer.home / "site", "words", WORDS, {"words": "words:Words"})
    write_script(reducer.home / "fake", FAIL)
    (reducer.home / "in.mlir").write_text(program())
    words = ["--test", "words:x.op7", "--json", "-", "--", "./fake", "--flag"]
    done = reducer("reduce", "in.mlir", *words)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    text = (reducer.home / "in.reduced.mlir").read_text()
    assert "x.op7" in text and "x.bad" in text and "x.guard" not in text
    assert report["command"][-1] == "{}" and "--flag" not in report["command"]
    (other,) = report["also_found"]
    assert other["signature"]["template"] == "words: fails without it"


@pytest.mark.parametrize(
    ("spec", "code", "told"),
    [
        ("words:raise", 70, "ValueError: no idea"),
        ("nothing", 2, "no such oracle: 'nothing'; installed: broken, empty, words"),
        ("broken", 2, "cannot create the oracle 'broken' (words:Missing)"),
        ("empty", 2, "has no judge method"),
    ],
)
def test_what_is_wrong_with_a_class_is_told(
    reducer: Reducer, spec: str, code: int, told: str
) -> None:
    entries = {"words": "words:Words", "broken": "words:Missing", "empty": "builtins:str"}
    install(reducer.home / "site", "words", WORDS, entries)
    write_script(reducer.home / "fake", FAIL)
    (reducer.home / "in.mlir").write_text(program())
    done = reducer("reduce", "in.mlir", "--test", spec, "--", "./fake")
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    reducer.assert_clean()


def test_it_is_found_where_packages_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", "words_here", WORDS, {"here": "words_here:Words"})
    monkeypatch.syspath_prepend(tmp_path / "site")
    invalidate_caches()
    try:
        assert "here" in plugin_names()
        plugin = load_plugin("here:a:b")
    finally:
        sys.modules.pop("words_here", None)
    assert plugin.judge.word == "a:b"  # type: ignore[attr-defined]
    assert plugin.files == (tmp_path / "site" / "words_here.py",)


class Judge:
    """Returns a fixed result after running a command."""

    def __init__(self, answer: object, *command: str) -> None:
        self.answer = answer
        self.command = command

    def judge(self, case: Case) -> str | Signature | None:
        for _ in range(2 if self.command else 0):
            case.run(self.command)
        return self.answer  # type: ignore[return-value]


def oracle(judge: Judge, limits: Limits | None = None) -> PluginOracle:
    plugin = Plugin("mine", "mine:1", judge)
    return PluginOracle(
        plugin, None, None, limits=limits or Limits(), shown=lambda name: ["show", name]
    )


def test_answers_become_signatures() -> None:
    assert oracle(Judge(None)).run("x").kind is Kind.SUCCESS
    found = oracle(Judge("bad")).run("x")
    assert found.signature == Signature(Kind.PLUGIN, "mine: bad")
    assert oracle(Judge(None)).wants(found)
    own = Signature(Kind.CRASH, "boom", "x.op")
    assert oracle(Judge(own)).run("x").signature == own
    with pytest.raises(PluginError, match="judge returned 7"):
        oracle(Judge(7)).run("x")
    assert oracle(Judge(None)).display("f.mlir") == ["show", "f.mlir"]


def test_a_limit_ends_the_judgement_and_costs_add_up() -> None:
    slow = oracle(Judge("bad", "sleep", "1000"), Limits(0.2)).run("x")
    assert slow.kind is Kind.TIMEOUT
    assert not oracle(Judge(None)).wants(slow)
    two = oracle(Judge("bad", "sleep", "0.2")).run("x")
    assert two.seconds > 0.3  # the clock of a run may start late


def test_a_cancelled_run_is_no_answer() -> None:
    cancel = threading.Event()
    cancel.set()
    assert oracle(Judge("bad", "sleep", "1000")).run("x", cancel=cancel).kind is Kind.CANCELLED


def test_the_command_is_part_of_its_identity(tmp_path: Path) -> None:
    fake = write_script(tmp_path / "fake", "exit 0")
    plugin = Plugin("mine", "mine", Judge("bad"), (tmp_path / "mine.py",))

    def shown(name: str) -> list[str]:
        return ["show", name]

    command = Command.parse(["fake", "--a", "--b"])
    one = PluginOracle(plugin, command, fake, shown=shown)
    other = one.with_command(Command.parse(["fake", "--a"]))
    assert one.key != other.key
    assert other.display("f.mlir") == ["show", "f.mlir", "--", "fake", "--a", "{}"]
    (tmp_path / "mine.py").write_text("changed")
    assert one.with_command(command).key != one.key
