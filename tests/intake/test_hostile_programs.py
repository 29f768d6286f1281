"""A program of a file may compile, and nothing else: two walls, each tested without the other.

Each program is run free first, so that nobody takes an attack that never worked for one that was
stopped.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles.run.confinement import Confinement, landlock
from oracles.run.limits import Limits
from oracles.run.run_process import run_process
from reducer.intake.allowed import hidden_in_program
from reducer.miscompile.mlir_runner.reference import outside
from reducer.toolchain import Toolchain
from tests.support.opt_tools import installed_tool

HOLDS = pytest.mark.skipif(not landlock(), reason="the kernel has no Landlock")
VICTIM = "HERE/victim"


def schedule(ops: str, beside: str = "") -> str:
    return f"""module attributes {{transform.with_named_sequence}} {{
  func.func @f(%a: index) -> index {{
    return %a : index
  }}
  module @inner {{
  }}
  {beside}
  transform.named_sequence @__transform_main(%root: !transform.any_op) {{
    %f = transform.structured.match ops{{["func.func"]}} in %root
      : (!transform.any_op) -> !transform.any_op
    %m = transform.structured.match ops{{["builtin.module"]}} in %root
      : (!transform.any_op) -> !transform.any_op
    {ops}
    transform.yield
  }}
}}
"""


def applied(
    name: str, options: str, target: str = "%f", operands: str = "!transform.any_op"
) -> str:
    return (
        f'%g = transform.apply_registered_pass "{name}" with options = {{{options}}} to {target} : '
        f"({operands}) -> !transform.any_op"
    )


DUMP = "snapshot-op-locations"
SCHEDULES = {
    "as in the issue": schedule(applied(DUMP, f'"filename" = "{VICTIM}"')),
    "a bare key": schedule(applied(DUMP, f'filename = "{VICTIM}"')),
    "behind another option": schedule(
        applied(DUMP, f'"print-debuginfo" = true, "filename" = "{VICTIM}"')
    ),
    "within another option": schedule(
        applied(DUMP, f'"print-debuginfo" = "true filename={VICTIM}"')
    ),
    "computed": schedule(
        f'%p = transform.param.constant "{VICTIM}" -> !transform.any_param\n'
        + applied(DUMP, '"filename" = %p', operands="!transform.any_op, !transform.any_param")
    ),
    "in generic form": schedule(
        f'%g = "transform.apply_registered_pass"(%f) <{{options = {{filename = "{VICTIM}"}}, '
        f'pass_name = "{DUMP}"}}> : (!transform.any_op) -> !transform.any_op'
    ),
    "with escapes": schedule(
        '%g = "transform.apply\\5fregistered_pass"(%f) <{options = {"file\\6eame" = '
        f'"{VICTIM}"}}, pass_name = "snapshot-op-\\6cocations"}}> '
        ": (!transform.any_op) -> !transform.any_op"
    ),
    "included": schedule(
        "transform.include @x failures(propagate) (%f) : (!transform.any_op) -> ()",
        "transform.named_sequence @x(%r: !transform.any_op {transform.consumed}) {\n"
        + applied(DUMP, f'"filename" = "{VICTIM}"', "%r")
        + "\ntransform.yield\n}",
    ),
    "in a loop": schedule(
        "transform.foreach %f : !transform.any_op {\n^bb0(%x: !transform.any_op):\n"
        + applied(DUMP, f'"filename" = "{VICTIM}"', "%x")
        + "\n}"
    ),
    "in a pipeline": schedule(
        applied("inline", f'"default-pipeline" = "{DUMP}{{filename={VICTIM}}}"', "%m")
    ),
    "by another pass": schedule(applied("iree-util-dump-module", f'"path" = "{VICTIM}"', "%m")),
}
COMPILED = {
    "by no schedule": (
        "func.func @f() attributes {a = #iree_codegen.translation_info<pipeline = "
        f'#iree_codegen.pass_pipeline<"func.func({DUMP}{{filename={VICTIM}}})">>}} {{\n  return\n}}'
    ),
}
"""What only a compiler runs, not the tool that prints it."""
HARMLESS = [
    schedule(applied("canonicalize", '"top-down" = false, "max-iterations" = 3 : i32')),
    schedule(applied("canonicalize", '"enable-patterns" = ["a", "b"]')),
    schedule(
        "%p = transform.param.constant 3 : i64 -> !transform.any_param\n"
        + applied(
            "canonicalize",
            '"max-iterations" = %p',
            operands="!transform.any_op, !transform.any_param",
        )
    ),
    schedule(
        '%g = transform.apply_registered_pass "cse" to %f '
        ": (!transform.any_op) -> !transform.any_op"
    ),
]


@pytest.fixture
def iree_opt(iree_toolchain: Callable[[], Toolchain]) -> Path:
    return iree_toolchain().opt


@pytest.mark.parametrize("name", [*SCHEDULES, *COMPILED])
def test_the_filter_sees_what_a_schedule_runs(name: str, iree_opt: Path) -> None:
    assert VICTIM in hidden_in_program({**SCHEDULES, **COMPILED}[name], iree_opt)


def test_the_filter_takes_passes_that_only_compile(iree_opt: Path) -> None:
    assert [hidden_in_program(text, iree_opt) for text in HARMLESS] == [""] * len(HARMLESS)


def test_the_filter_refuses_a_schedule_that_it_cannot_read(iree_opt: Path) -> None:
    text = SCHEDULES["as in the issue"].replace("transform.yield", "transform.yields")
    assert hidden_in_program(text, iree_opt) == "its schedule cannot be read"
    two = f"func.func private @f()\n// -----\n{SCHEDULES['computed']}"
    assert VICTIM in hidden_in_program(two, iree_opt)


def harmed(words: list[str], text: str, folder: Path, how: Confinement | None) -> bool:
    """Whether a command on a program changes, reads or starts what is beside its folder."""
    shutil.rmtree(folder, ignore_errors=True)
    own, victim, secret = folder / "own", folder / "victim", folder / "secret"
    own.mkdir(parents=True)
    victim.write_text("mine")
    secret.write_text("secret")
    (own / "x.mlir").write_text(text.replace("HERE", str(folder)))
    result = run_process(words, cwd=own, limits=Limits(60.0), confinement=how)
    names = {path.name for path in folder.iterdir()}
    untouched = names == {"own", "victim", "secret"} and victim.read_text() == "mine"
    return not untouched or "secret" in result.stdout or "started" in result.stdout


@HOLDS
@pytest.mark.live
def test_landlock_alone_holds_schedules(iree_opt: Path, tmp_path: Path) -> None:
    words = [str(iree_opt), "--transform-interpreter", "x.mlir", "-o", "y.mlir"]
    for name, text in SCHEDULES.items():
        assert not harmed(words, text, tmp_path, Confinement()), name
        can_do_harm = harmed(words, text, tmp_path, None)
        assert can_do_harm == (name != "in a pipeline"), name


def native(body: str, *strings: str, declared: str = "") -> str:
    """A program in the LLVM dialect whose `main` has this body, with `%s0`, `%s1`, … as strings."""
    lines = [
        f'llvm.mlir.global internal constant @s{n}("{text}\\00")' for n, text in enumerate(strings)
    ]
    taken = [f"%s{n} = llvm.mlir.addressof @s{n} : !llvm.ptr" for n in range(len(strings))]
    start = "%c0 = llvm.mlir.constant(0 : i32) : i32\n%null = llvm.mlir.zero : !llvm.ptr"
    whole = [*lines, declared, "llvm.func @main() -> i32 {", start, *taken, body]
    return "\n".join([*whole, "llvm.return %c0 : i32", "}"])


def called(function: str, *arguments: str) -> str:
    types = ", ".join("i32" if one.startswith("%c") else "!llvm.ptr" for one in arguments)
    return f"llvm.call @{function}({', '.join(arguments)}) : ({types}) -> i32"


def declared(function: str, *types: str) -> str:
    return f"llvm.func @{function}({', '.join(types)}) -> i32"


P, INT = "!llvm.ptr", "i32"
PRINTED = (
    "llvm.func @fopen(!llvm.ptr, !llvm.ptr) -> !llvm.ptr\n"
    "llvm.func @fgets(!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr\nllvm.func @puts(!llvm.ptr) -> i32"
)
PROGRAMS = {
    "system": native(
        called("system", "%s0"), "echo started; echo evil > HERE/victim",
        declared=declared("system", P),
    ),
    "exec": native(
        called("execlp", "%s0", "%s0", "%s1", "%s2", "%null"),
        "sh", "-c", "echo started; rm HERE/victim", declared=declared("execlp", *[P] * 5),
    ),
    "unlink": native(called("unlink", "%s0"), "HERE/victim", declared=declared("unlink", P)),
    "remove": native(called("remove", "%s0"), "HERE/secret", declared=declared("remove", P)),
    "rename": native(
        called("rename", "%s0", "%s1"), "HERE/victim", "HERE/gone",
        declared=declared("rename", P, P),
    ),
    "link": native(
        called("symlink", "%s0", "%s1"), "HERE/victim", "HERE/link",
        declared=declared("symlink", P, P),
    ),
    "mkdir": native(
        "%c9 = llvm.mlir.constant(511 : i32) : i32\n" + called("mkdir", "%s0", "%c9"),
        "HERE/new", declared=declared("mkdir", P, INT),
    ),
    "truncate": native(
        "%z = llvm.mlir.constant(0 : i64) : i64\n"
        "llvm.call @truncate(%s0, %z) : (!llvm.ptr, i64) -> i32",
        "HERE/victim", declared="llvm.func @truncate(!llvm.ptr, i64) -> i32",
    ),
    "read": native(
        "%c9 = llvm.mlir.constant(99 : i32) : i32\n%b = llvm.alloca %c9 x i8 : (i32) -> !llvm.ptr\n"
        "%f = llvm.call @fopen(%s0, %s1) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr\n"
        "%r = llvm.call @fgets(%b, %c9, %f) : (!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr\n"
        + called("puts", "%b"),
        "HERE/secret", "r", declared=PRINTED,
    ),
    "write": native(
        "%f = llvm.call @fopen(%s0, %s1) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr",
        "HERE/victim", "w", declared=PRINTED,
    ),
    "under another name": native(
        called('"\\01system"', "%s0"), "echo started; echo evil > HERE/victim",
        declared=declared('"\\01system"', P),
    ),
    "by its address": native(
        "%f = llvm.mlir.addressof @system : !llvm.ptr\n"
        "%r = llvm.call %f(%s0) : !llvm.ptr, (!llvm.ptr) -> i32",
        "echo started; echo evil > HERE/victim",
        declared="llvm.mlir.global external @system() : i8",
    ),
    "assembly": native(
        "%n = llvm.mlir.constant(87 : i64) : i64\n"
        '%r = llvm.inline_asm has_side_effects "syscall", "={rax},{rax},{rdi}" %n, %s0 '
        ": (i64, !llvm.ptr) -> i64",
        "HERE/victim",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_filter_executes_no_program_that_calls_out_of_itself(name: str) -> None:
    assert outside(PROGRAMS[name])


@HOLDS
@pytest.mark.live
@pytest.mark.machine
def test_landlock_alone_holds_programs_that_are_executed(tmp_path: Path) -> None:
    runner = installed_tool("mlir-runner-22")
    words = [str(runner), "x.mlir", "-e", "main", "--entry-point-result=i32"]
    for name, text in PROGRAMS.items():
        assert not harmed(words, text, tmp_path, Confinement()), name
        assert harmed(words, text, tmp_path, None), name
