"""What a minimal reproducer is about, and whether the failing pass gets that as it is."""

import threading
from dataclasses import dataclass

from oracles import CompilerOracle, Signature
from oracles.command import verifying_tool
from reducer.ir import GenericSyntaxError, Module
from reducer.locate.failing_pass import find_failing_pass
from reducer.locate.opt_tool import Exhausted, OptTool
from reducer.session.normalise import Normaliser
from reducer.triage.own_ops import all_ops, own_ops

_CALLS = 40
_SECONDS = 120.0  # of wall time


@dataclass
class Cost:
    """Compilers that were started, and the CPU seconds that they took."""

    calls: int = 0
    seconds: float = 0.0

    def add(self, calls: int, seconds: float) -> None:
        self.calls += calls
        self.seconds += seconds


def ops_of(text: str, oracle: CompilerOracle, cost: Cost) -> frozenset[str]:
    """The ops that a reproducer is about; none where the compiler's own tool cannot tell."""
    module = _parsed(text, oracle, cost)
    return own_ops(module) if module is not None else frozenset()


def reach_the_pass(
    ops: frozenset[str],
    text: str,
    wanted: Signature,
    oracle: CompilerOracle,
    cost: Cost,
    stop: threading.Event,
) -> bool | None:
    """Whether the pass that fails on a reproducer gets all of these ops as they are.

    Where one was made into something else before, what fails may be that, and other ops may be
    made into the same. Not so either where no pass can be shown to fail like this. None if the
    user stopped it.
    """
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return False
    tool = OptTool(opt, limits=oracle.limits, cancel=stop, calls=_CALLS, seconds=_SECONDS)
    try:
        found = find_failing_pass(oracle.command, oracle.executable, text, wanted, tool)
    except Exhausted:
        found = None
    cost.add(tool.calls, tool.compiler_seconds)
    if stop.is_set():
        return None
    if found is None:
        return False
    module = _parsed(found.text, oracle, cost)
    return module is not None and ops <= all_ops(module)


def _parsed(text: str, oracle: CompilerOracle, cost: Cost) -> Module | None:
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return None
    normaliser = Normaliser(opt, oracle.limits)
    generic = normaliser.generic(text)
    cost.add(1, normaliser.seconds)
    try:
        return Module.parse(generic) if generic is not None else None
    except GenericSyntaxError:
        return None
