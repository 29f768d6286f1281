"""Which other failures may be bugs of their own, and which only come from cutting a program up."""

from pathlib import Path
from typing import cast

import pytest

from oracles import Command, CompilerOracle, Kind, Outcome, Signature
from reducer.driver.state import Context
from reducer.identity.cutting_artifacts import CHANGED, INVALID, SHORTER, CuttingDamage, OriginalOps
from reducer.identity.program import InputLevel
from reducer.identity.validity import VerifierScreen
from reducer.ir import Document, Module, PlainText
from reducer.search.query import OtherFailure
from tests.driver.test_table import context_of
from tests.support.predicate import PredicateOracle
from tests.support.sides import function

T = "tensor<4xf32>"
SCRIPT = PredicateOracle(lambda text: True)
ORACLE = CompilerOracle(Command.parse(["tool"]), Path("/bin/false"))


def program(*lines: str, arguments: str = f"%a: {T}, %b: {T}") -> Module:
    body = "\n".join([*lines, '"func.return"() : () -> ()'])
    return Module.parse(function(body, arguments=arguments))


WHOLE = program(
    '%c = "t.constant"() <{value = 1 : i32}> : () -> i32',
    '%d = "t.constant"() <{value = 2 : i32}> : () -> i32',
    '%3 = "t.map"(%a) ({',
    "^bb0(%x: f32, %y: f32):",
    '  "t.yield"(%x) : (f32) -> ()',
    f"}}) : ({T}) -> {T}",
    f'%0 = "t.mul"(%a, %b) : ({T}, {T}) -> {T}',
    f'%1 = "t.sort"(%0, %c) : ({T}, i32) -> {T}',
    f'%2 = "t.cut"(%1, %d) <{{at = 8 : i64}}> : ({T}, i32) -> {T}',
)
"""What is expected of each part below: whether no op of it was changed."""
PARTS = {
    "whole": (WHOLE, True),
    "one op, its operands are arguments": (
        program(f'%5 = "t.mul"(%x, %y) : ({T}, {T}) -> {T}', arguments=f"%x: {T}, %y: {T}"),
        True,
    ),
    "with what it computes with": (
        program(
            '%0 = "t.constant"() <{value = 1 : i32}> : () -> i32',
            f'%1 = "t.sort"(%a, %0) : ({T}, i32) -> {T}',
        ),
        True,
    ),
    "another constant of the same type": (
        program(
            '%0 = "t.constant"() <{value = 2 : i32}> : () -> i32',
            f'%1 = "t.sort"(%a, %0) : ({T}, i32) -> {T}',
        ),
        False,
    ),
    "another result of a body": (
        program(
            '%0 = "t.map"(%a) ({',
            "^bb0(%x: f32, %y: f32):",
            '  "t.yield"(%y) : (f32) -> ()',
            f"}}) : ({T}) -> {T}",
        ),
        False,
    ),
    "one value twice": (program(f'%0 = "t.mul"(%a, %a) : ({T}, {T}) -> {T}'), False),
    "another size": (
        program(
            '%0 = "t.mul"(%a, %b) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>',
            arguments="%a: tensor<1xf32>, %b: tensor<1xf32>",
        ),
        False,
    ),
    "another attribute": (
        program(
            f'%2 = "t.cut"(%a, %i) <{{at = 0 : i64}}> : ({T}, i32) -> {T}',
            arguments=f"%a: {T}, %i: i32",
        ),
        False,
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_program_has_only_ops_of_it(name: str) -> None:
    ops = OriginalOps()
    ops.add(WHOLE)
    part, is_uncut = PARTS[name]
    assert ops.contain(part) is is_uncut


def test_a_module_without_functions_may_lose_ops() -> None:
    ops, module = OriginalOps(), '"builtin.module"() ({{\n{}}}) : () -> ()\n'
    line = '  "t.a"() : () -> ()\n'
    ops.add(Module.parse(module.format(line + line.replace("t.a", "t.b"))))
    assert ops.contain(Module.parse(module.format(line)))
    assert not ops.contain(Module.parse(module.format(line.replace("t.a", "t.c"))))


def test_aliases_may_have_other_names() -> None:
    head = "#map = affine_map<(d0) -> (d0)>\n#map1 = affine_map<(d0) -> (0)>\n"
    user = '"t.use"() <{map = #map1}> : () -> ()\n'
    ops = OriginalOps()
    ops.add(Module.parse(head + user))
    assert ops.contain(Module.parse(head.replace("#map1", "#a") + user.replace("#map1", "#a")))
    assert not ops.contain(Module.parse(head + user.replace("#map1", "#map")))


class Tool:
    """Stands for the parser and verifier."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer

    def takes(self, text: str, base: str) -> bool:
        return self.answer


@pytest.fixture
def context(tmp_path: Path) -> Context:
    found, _ = context_of(SCRIPT, tmp_path)
    found.program.original = WHOLE
    return found


def damage(context: Context, tool: Tool | None = None) -> CuttingDamage:
    oracle = context.judging.oracle
    screen = cast(VerifierScreen, tool)
    return CuttingDamage(context.program, oracle, screen)


def explained(context: Context, kind: Kind, document: Document, tool: Tool | None = None) -> str:
    outcome = Outcome(kind, Signature(kind, "boom"), 1)
    return damage(context, tool).explains(OtherFailure(document, outcome, ORACLE))


REJECTIONS = (Kind.VERIFIER, Kind.LEGALIZATION, Kind.BUFFERIZATION, Kind.OTHER_ERROR)


@pytest.mark.parametrize("kind", REJECTIONS)
def test_a_rejection_counts_only_on_a_part_of_the_input(context: Context, kind: Kind) -> None:
    assert not explained(context, kind, PARTS["with what it computes with"][0])
    assert explained(context, kind, PARTS["another size"][0]) == CHANGED
    assert not explained(context, kind, PlainText("t.mul")), "nobody knows"


@pytest.mark.parametrize("kind", [Kind.CRASH, Kind.ASSERTION, Kind.FATAL_ERROR, Kind.MEMORY])
def test_a_crash_counts_on_any_valid_program(context: Context, kind: Kind) -> None:
    changed = PARTS["another size"][0]
    assert not explained(context, kind, changed, Tool(True))
    assert not explained(context, kind, changed), "there is no such tool"
    assert explained(context, kind, WHOLE, Tool(False)) == INVALID


@pytest.mark.parametrize("kind", [Kind.PLUGIN, Kind.SCRIPT, Kind.MISCOMPILE])
def test_what_the_compiler_has_not_said_counts(context: Context, kind: Kind) -> None:
    assert not explained(context, kind, PARTS["another size"][0], Tool(True))


def test_what_the_compiler_made_of_the_input_is_as_good(context: Context) -> None:
    """Once the reduction continues with a program at a lower level."""
    below = PARTS["another size"][0]
    assert explained(context, Kind.OTHER_ERROR, below)
    context.program.document = below
    context.go_down(InputLevel(context.milestone(), "its dispatch"))
    assert not explained(context, Kind.OTHER_ERROR, below)


def test_a_rejection_under_fewer_flags_does_not_count(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    oracles = [
        CompilerOracle(Command.parse(["tool", *flags]), tool)
        for flags in (["--a", "--b"], ["--b"], ["--a", "--b", "--stop-early"])
    ]
    context, _ = context_of(SCRIPT, tmp_path)
    context.program.original = WHOLE
    context.judging.full = context.judging.full.with_(oracle=oracles[0])
    explains = damage(context).explains
    outcome = Outcome(Kind.OTHER_ERROR, Signature(Kind.OTHER_ERROR, "boom"), 1)
    said = [explains(OtherFailure(WHOLE, outcome, oracle)) for oracle in oracles]
    assert said == ["", SHORTER, ""]


def test_a_script_knows_what_it_means(context: Context) -> None:
    outcome = Outcome(Kind.OTHER_ERROR, Signature(Kind.OTHER_ERROR, "boom"), 1)
    other = OtherFailure(PARTS["another size"][0], outcome, SCRIPT)
    assert not damage(context).explains(other)
