"""What is written for this program by others: packages with oracles and profiles, and own classes.

They are spelled out here, since what was written for an earlier version must work with a later one.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, Reducer, program, write_script

PROJECT = """\
[project]
name = "toy-tools"
version = "1.0"

[project.entry-points."mlir_reducer.oracles"]
tells = "toy_tools:Tells"

[project.entry-points."mlir_reducer.profiles"]
toy = "toy_profile:TOY"
"""
PROFILE = """\
from dataclasses import replace

from oracles.profiles.mlir import opt_profile

TOY = replace(
    opt_profile("Toy", "toy-compile", "https://example.org/toy/issues/new"),
    driver_frames=(r"toy::PipelineAdaptor",),
    nesting_passes=(r"ToyPipelinePass$",),
)
"""
ORACLE = """\
from oracles.plugin import Case


class Tells:
    def __init__(self, argument: str) -> None:
        self.argument = argument or "x.bad"

    def judge(self, case: Case) -> str | None:
        copy = case.folder / "copy.mlir"
        copy.write_text(case.text)
        for source in (case.path, copy):
            result = case.run(case.command(source, case.folder / "out.mlir"))
            if result.exit_code == 0:
                return None
        return f"fails twice with {self.argument}" if self.argument in case.text else "fails"
"""
OWN_CLASS = """\
from oracles import Kind, Limits, Outcome, Signature
from oracles.profiles import profile_of
from reducer import reduce
from reducer.driver.settings import Settings


class Counts:
    key = "counts ops"
    limits = Limits(10.0)
    command = None

    def with_command(self, command):
        raise NotImplementedError

    def run(self, text, *, cancel=None, limits=None):
        kind = Kind.SCRIPT if text.count("x.op") > 2 else Kind.SUCCESS
        return Outcome(kind, Signature(kind, "three ops" if kind is Kind.SCRIPT else ""), 0)

    def shortened(self):
        return []

    def wants(self, outcome):
        return outcome.kind is Kind.SCRIPT

    def display(self, input_name):
        return ["counts", input_name]

    def confirm(self, text, input_name, *, limits, cancel=None):
        return self.run(text, limits=limits, cancel=cancel)


record = reduce(Settings.of("in.mlir", output="out.mlir"), Counts())
print(profile_of("toy-compile").name, record.status, record.verified, record.signature.template)
"""


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    """With the package where an installer puts it, a compiler, and its input."""
    site = tmp_path / "site"
    metadata = site / "toy_tools-1.0.dist-info"
    metadata.mkdir(parents=True)
    project = tomllib.loads(PROJECT)["project"]
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-tools\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
    )
    (site / "toy_tools.py").write_text(ORACLE)
    (site / "toy_profile.py").write_text(PROFILE)
    reducer = Reducer(tmp_path)
    reducer.environment["PYTHONPATH"] += f":{site}"
    # As the profile says that it writes a file, the name of the input is not the last word.
    write_script(tmp_path / "toy-compile", 'input="$1"\n' + FAIL)
    (tmp_path / "in.mlir").write_text(program(8))
    return reducer


def test_a_package_judges_and_describes_a_compiler(reducer: Reducer) -> None:
    command = ["--", "./toy-compile", "{}", "--flag"]
    checked = reducer("check", "in.mlir", "--test", "tells", "--json", "-", *command)
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["signature"] == "plugin: tells: fails twice with x.bad"
    done = reducer("reduce", "in.mlir", "--test", "tells:x.op3", "--json", "-", *command)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verified"] and report["kind"] == "plugin"
    own = ["mlir-reducer", "check", "in.reduced.mlir", "--test", "tells:x.op3"]
    assert report["command"] == [*own, "--", "./toy-compile", "{}"]
    assert [other["signature"]["template"] for other in report["also_found"]] == ["tells: fails"]
    text = (reducer.home / "in.reduced.mlir").read_text()
    assert text.splitlines()[1:-1] == ['"x.op3"() : () -> ()', '"x.bad"() : () -> ()']
    reducer.assert_clean()


def test_a_profile_of_a_package_describes_the_compiler(reducer: Reducer) -> None:
    checked = reducer("check", "in.mlir", "--json", "-", "--", "./toy-compile", "{}")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["kind"] == "legalization"
    done = reducer("reduce", "in.mlir", "--json", "-", "--", "./toy-compile", "{}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"]


def test_a_class_of_ones_own_is_an_oracle(reducer: Reducer) -> None:
    (reducer.home / "own.py").write_text(OWN_CLASS)
    done = subprocess.run(
        [sys.executable, "own.py"],
        cwd=reducer.home,
        env=reducer.environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "Toy reduced True three ops\n", done.stderr
    assert (reducer.home / "out.mlir").read_text().count("x.op") == 3
