"""Name a memory error by its first bad access, which valgrind sees.

A heap that is corrupted crashes later and elsewhere, as its layout has it, which each deletion
changes. The first bad access is the same in every run, and in a small program as in a large one. It
takes some 50 times as long to see it, so it is asked for on what is left of an input, and only if
its crash does not come every time or is one in the allocator; what stacks that vary have in common
is as steady. From then on, it is the failure to preserve.
"""

import shutil
from dataclasses import replace

from oracles import Oracle
from oracles.base import capabilities_of
from oracles.run.confinement import current_confinement
from oracles.run.reaper_client import FIXED_ADDRESSES
from oracles.signature.abort_message import words_of_runtime
from oracles.signature.comparison import shows
from oracles.stacks.frames import parse_stack
from reducer.driver.stage import Stage, is_module
from reducer.driver.stages.shrinking import name_command
from reducer.driver.state import Context
from reducer.identity.advice import EMPTY_MODULE
from reducer.search.conditions import SameFailure
from reducer.search.query import RunLimits

_VALGRIND = "valgrind"
_CHECK = (
    *(_VALGRIND, "-q", "--undef-value-errors=no", "--num-callers=40"),
    *("--exit-on-first-error=yes", "--error-exitcode=99"),
    "--vex-guest-chase=no",  # a fifth less time for a compiler, which runs most of its code once
)
_SLOWER = 50
_QUICK = 0.3  # CPU seconds of a run that can take that many times as long
_FEW = 300  # ops; what is left of more takes too many of these runs
_MISSING = (
    "the crash may depend on what is in memory; valgrind would look for the first bad access, but "
    "it is not installed (on Debian: apt-get install valgrind)"
)


def find_first_access(context: Context) -> bool:
    """Judge by the first bad access from now on, if there is one that an empty module lacks."""
    context.found.is_checked = True
    if shutil.which(_VALGRIND) is None:
        context.note(_MISSING)
        return False
    judging, program, full = context.judging, context.program, context.judging.full
    assert full.oracle.command is not None
    checked = replace(full.oracle.command, launcher=(*full.oracle.command.launcher, *_CHECK))
    seconds = full.limits.seconds and _SLOWER * full.limits.seconds
    limits = RunLimits(replace(full.limits, seconds=seconds, cpu=None), adapts=True)
    asked = full.with_(oracle=full.oracle.with_command(checked), limits=limits, test=None)
    text, ops = program.document.text, program.document.op_count
    outcome = asked.run_once(text, ops)
    target = outcome.signature
    seen = target.template.startswith(f"{_VALGRIND}: ")
    if not seen or shows(target, asked.run_once(EMPTY_MODULE, 0)):
        return False
    if judging.flaky is not None and not shows(target, asked.run_once(text, ops, repetition=1)):
        return False
    limits.tighten(outcome)  # what memory decides may be a hang
    judging.first, judging.full = outcome, asked.under(SameFailure(target))
    judging.flaky = None  # one run tells from here on
    program.milestones.clear()
    context.mark()
    name_command(context)
    context.note(f"what counts from here on is the first bad access to memory: '{target.text}'")
    return True


def without_check(oracle: Oracle) -> Oracle | None:
    """The oracle of the command that valgrind checks; None if it checks none."""
    command = oracle.command
    if command is None or command.launcher[-len(_CHECK) :] != _CHECK:
        return None
    return oracle.with_command(replace(command, launcher=command.launcher[: -len(_CHECK)]))


def _may_be_memory_error(context: Context) -> bool:
    """Whether a quick program dies in a way that depends on memory, and was not checked yet."""
    full, first = context.judging.full, context.judging.first
    command, outcome = full.oracle.command, full.known(context.program.document.text) or first
    dies = first.kind.traits.known_by_stack or first.kind.traits.out_of_memory
    can_be_asked = capabilities_of(full.oracle).failures and current_confinement() is None
    if command is None or context.found.is_checked or not dies or not can_be_asked:
        return False
    if context.program.is_located and context.program.document.op_count > _FEW:
        return False
    if first.exit_code is None or outcome.cpu_seconds > _QUICK:
        return False
    varies = full.limits.layout is None or full.query.test is not None
    if varies or _is_in_allocator(first.stderr):
        return True
    if context.program.is_located:
        return False
    # The parts of a module may crash elsewhere for the same bad access, and so may its other form.
    return is_module(context) or FIXED_ADDRESSES[0] in command.launcher


def _is_in_allocator(stderr: str) -> bool:
    """Whether a library of the system stops a program, or crashes in it, as its allocator does."""
    system = [frame.is_system for frame in parse_stack(stderr)]
    handled = system.index(True) if True in system else len(system)
    return bool(words_of_runtime(stderr)) or system[handled + 1 : handled + 2] == [True]


FIRST_BAD_ACCESS = Stage("find the first bad access", _may_be_memory_error, find_first_access)
