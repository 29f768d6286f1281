"""Compares minimal reproducers: the ops they are about, and whether they reach the failing pass.

Constants feed them, terminators return what they make, functions hold them: none of these is what
the program is about. What they have in common is seen in the text of any dialect: an op of one's
own takes something and is not the last of its block.
"""

import json
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass

from oracles import CompilerOracle, Limits, Signature
from oracles.command import verifying_tool
from oracles.templates import failing_operation
from reducer.ir import NONE, GenericSyntaxError, Module
from reducer.locate.failing_pass import find_failing_pass
from reducer.locate.opt_tool import OptTool, ToolBudgetExhausted
from reducer.search.candidate import canonical
from reducer.session.conversions import OptPrinter
from reducer.triage.buckets import all_buckets
from reducer.triage.database import Caps, Store
from reducer.triage.reproducers import StoredReproducer
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.running import oracle_of

_IN_NAMES = rb"[\w$.-]"


def own_ops(module: Module) -> frozenset[str]:
    """The kinds of op in a module, but for constants, terminators and what only holds others.

    An op that stands for another by name (`torch.operator "onnx.If"`) is told with that name.
    """
    return frozenset(
        _kind(module, op)
        for op in range(len(module))
        if module.t.operands[op] and not module.hidden[op] and not _ends_a_block(module, op)
    )


def all_ops(module: Module) -> frozenset[str]:
    """Every kind of op in a module, told in the same way."""
    return frozenset(_kind(module, op) for op in range(len(module)))


def may_contain_ops(data: bytes, ops: Collection[str]) -> bool:
    """Whether each of these kinds of op may occur in a program, text or bytecode.

    Nothing is parsed, so a comment counts too; but what is said to be missing is.
    """
    return all(_has(data, op.encode(errors="surrogateescape")) for op in ops)


def _kind(module: Module, op: int) -> str:
    return failing_operation("", module.header(op)) or module.t.name[op]


def _ends_a_block(module: Module, op: int) -> bool:
    block = module.t.block[op]
    last = block != NONE and module.t.block_ops[block][-1] == op
    return last and not module.t.num_results[op]


def _has(data: bytes, op: bytes) -> bool:
    """A name may lack its dialect: in bytecode, and inside of ops that make theirs the default."""
    name, _, carried = op.partition(b" ")
    dialect, _, rest = name.partition(b".")
    if dialect not in data or carried.strip(b'"') not in data:
        return False
    word = rb"(?:%s\.)?%s" % (re.escape(dialect), re.escape(rest)) if rest else re.escape(name)
    return re.search(rb"(?<!%s)%s(?!%s)" % (_IN_NAMES, word, _IN_NAMES), data) is not None


_PART = re.compile(r'"(?:[^"\\]|\\.)*"|@[\w.$-]+|(?:\s|//[^\n]*)+')


def fingerprint(text: str) -> str:
    """Equal for programs that differ only in comments, blanks and the names of things.

    A symbol is numbered where it is named first; a name in quotation marks is data and stays.
    """
    numbers: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        part = match[0]
        if part.startswith('"'):
            return part
        if part.startswith("@"):
            return numbers.setdefault(part, f"@{len(numbers)}")
        return " "

    return canonical(_PART.sub(plain, text).strip())


_CALLS = 40
_SECONDS = 120.0  # of wall time


@dataclass
class CompilerUsage:
    """Compilers that were started, and the CPU seconds that they took."""

    calls: int = 0
    seconds: float = 0.0

    def add(self, calls: int, seconds: float) -> None:
        self.calls += calls
        self.seconds += seconds


def ops_of(text: str, oracle: CompilerOracle, cost: CompilerUsage) -> frozenset[str]:
    """The ops that a reproducer is about; none where the compiler's own tool cannot tell."""
    module = _parsed(text, oracle, cost)
    return own_ops(module) if module is not None else frozenset()


def ops_reach_failing_pass(
    ops: frozenset[str],
    text: str,
    target: Signature,
    oracle: CompilerOracle,
    cost: CompilerUsage,
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
        found = find_failing_pass(oracle.command, oracle.executable, text, target, tool)
    except ToolBudgetExhausted:
        found = None
    cost.add(tool.calls, tool.compiler_seconds)
    if stop.is_set():
        return None
    if found is None:
        return False
    module = _parsed(found.text, oracle, cost)
    return module is not None and ops <= all_ops(module)


def _parsed(text: str, oracle: CompilerOracle, cost: CompilerUsage) -> Module | None:
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return None
    printer = OptPrinter(opt, oracle.limits)
    generic = printer.generic(text)
    cost.add(1, printer.seconds)
    try:
        return Module.parse(generic) if generic is not None else None
    except GenericSyntaxError:
        return None


class ReproducerAnalysis:
    """Answers from the database, or else by running small programs; `cost` adds those up."""

    def __init__(self, store: Store, matrix: RunMatrix, caps: Caps, stop: threading.Event) -> None:
        self._store = store
        self._database = store.database
        self._matrix = matrix
        self._limits = Limits(caps.seconds, caps.memory)
        self._stop = stop
        self.cost = CompilerUsage()

    def ops(self, one: StoredReproducer | None) -> frozenset[str]:
        """The ops that a minimal reproducer is about; none where there is no such reproducer."""
        if one is None or not one.minimal:
            return frozenset()
        row = self._row(one)
        if row is not None:
            return row[0]
        oracle = self._oracle(one)
        if oracle is None:
            return frozenset()
        ops = ops_of(one.text, oracle, self.cost)
        self._keep(one, ops, None)
        return ops

    def reached(self, one: StoredReproducer) -> bool | None:
        """Whether the pass that fails gets these ops as they are; None if that is not known yet."""
        row = self._row(one)
        return None if row is None else row[1]

    def reaches_failing_pass(self, one: StoredReproducer) -> bool:
        """The same, found out if need be."""
        known, ops, oracle = self.reached(one), self.ops(one), self._oracle(one)
        if known is not None or not ops or oracle is None:
            return bool(known)
        target = all_buckets(self._database)[one.bucket].signature
        reached = ops_reach_failing_pass(ops, one.text, target, oracle, self.cost, self._stop)
        if reached is not None:
            self._keep(one, ops, reached)
        return bool(reached)

    def _row(self, one: StoredReproducer) -> tuple[frozenset[str], bool | None] | None:
        row = self._database.row(
            "SELECT ops, reached FROM grounds WHERE bucket = ? AND reproducer = ?",
            one.bucket, one.digest,
        )  # fmt: skip
        if row is None:
            return None
        reached = row["reached"]
        return frozenset(json.loads(row["ops"])), None if reached is None else bool(reached)

    def _keep(self, one: StoredReproducer, ops: frozenset[str], reached: bool | None) -> None:
        self._database.write(
            "INSERT OR REPLACE INTO grounds VALUES (?, ?, ?, ?)",
            one.bucket, one.digest, json.dumps(sorted(ops)), reached,
        )  # fmt: skip

    def _oracle(self, one: StoredReproducer) -> CompilerOracle | None:
        """The compiler it was made with; None if that is not one of this run."""
        for compiler in self._matrix.compilers:
            if self._store.compiler(compiler) == one.compiler:
                directory = self._matrix.directory
                return oracle_of(
                    compiler.program, compiler.version, one.flags, directory, self._limits
                )
        return None
