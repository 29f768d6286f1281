"""Compare minimal reproducers: which ops each is about, and whether they reach the failing pass.

Constants, terminators, and ops that only contain others (functions, modules) are not what a program
is about. The remaining ops can be recognized in the text of any dialect: they have operands and are
not the last op of their block.
"""

import json
import re
import threading
from collections.abc import Collection

from oracles import CompilerOracle, Limits, Signature
from oracles.compilers.command import verifying_tool
from oracles.signature.templates import failing_operation
from oracles.stored import parsed, tried
from reducer.asking import Cost, Stopped
from reducer.conversions import OptPrinter
from reducer.ir import NONE, GenericSyntaxError, Module
from reducer.ir.lexer import COMMENT, NAME, STRING
from reducer.locate.failing_pass import FailingPassSearch
from reducer.locate.opt_tool import OptTool
from reducer.search.candidate import canonical
from reducer.triage.buckets import all_buckets
from reducer.triage.reproducers import StoredReproducer
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.running import oracle_of
from reducer.triage.store import Caps, Store

_IN_NAMES = rb"[\w$.-]"


def own_ops(module: Module) -> frozenset[str]:
    """The names of the ops in a module, without constants, terminators and pure containers.

    An op that represents another by name (`torch.operator "onnx.If"`) is reported with that name.
    """
    return frozenset(
        _kind(module, op)
        for op in range(len(module))
        if module.t.operands[op] and not module.hidden[op] and not _ends_a_block(module, op)
    )


def all_ops(module: Module) -> frozenset[str]:
    """The names of all ops in a module, in the same form as `own_ops`."""
    return frozenset(_kind(module, op) for op in range(len(module)))


def may_contain_ops(data: bytes, ops: Collection[str]) -> bool:
    """Whether each of these ops may occur in a program, given as text or bytecode.

    Nothing is parsed, so a mention in a comment counts as well; False is always correct.
    """
    return all(_has(data, op.encode(errors="surrogateescape")) for op in ops)


def _kind(module: Module, op: int) -> str:
    return failing_operation("", module.header(op)) or module.t.name[op]


def _ends_a_block(module: Module, op: int) -> bool:
    block = module.t.block[op]
    last = block != NONE and module.t.block_ops[block][-1] == op
    return last and not module.t.num_results[op]


def _has(data: bytes, op: bytes) -> bool:
    """The dialect prefix may be missing: in bytecode, and where an op sets a default dialect."""
    name, _, carried = op.partition(b" ")
    dialect, _, rest = name.partition(b".")
    if dialect not in data or carried.strip(b'"') not in data:
        return False
    word = rb"(?:%s\.)?%s" % (re.escape(dialect), re.escape(rest)) if rest else re.escape(name)
    return re.search(rb"(?<!%s)%s(?!%s)" % (_IN_NAMES, word, _IN_NAMES), data) is not None


_PART = re.compile(rf"{STRING}|@{NAME}|(?:\s|{COMMENT})+")


def fingerprint(text: str) -> str:
    """Equal for programs that differ only in comments, whitespace, and names of symbols and values.

    Symbols are numbered in order of first mention; names in quotation marks are data and are kept.
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


_DIMENSIONS = re.compile(r"\b(?P<type>tensor|memref|vector)<(?P<sizes>(?:(?:\d+|\?)x)+)")


def fingerprint_but_for_sizes(text: str) -> str:
    """Equal for programs that differ only as in `fingerprint`, and in the sizes of their types.

    >>> one, other = "%0 = a.b : tensor<80x?xi4>", "%1 = a.b : tensor<?x?xi4>"
    >>> fingerprint_but_for_sizes(one) == fingerprint_but_for_sizes(other)
    True
    """

    def dynamic(match: re.Match[str]) -> str:
        return f"{match['type']}<{'?x' * match['sizes'].count('x')}"

    return fingerprint(_DIMENSIONS.sub(dynamic, text))


_CALLS = 40
_SECONDS = 120.0  # of CPU time


def ops_of(text: str, oracle: CompilerOracle, cost: Cost) -> frozenset[str]:
    """The ops that a reproducer is about; empty if the `…-opt` tool cannot print it."""
    module = _parsed(text, oracle, cost)
    return own_ops(module) if module is not None else frozenset()


def ops_reach_failing_pass(
    ops: frozenset[str],
    text: str,
    target: Signature,
    oracle: CompilerOracle,
    cost: Cost,
    stop: threading.Event,
) -> bool | None:
    """Whether the failing pass receives all of these ops unchanged.

    An op that an earlier pass converted may fail in its converted form, and other ops may convert
    to the same thing. Also False if the failing pass cannot be reproduced on its own. None if the
    user interrupted the search.
    """
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return False
    tool = OptTool(opt, limits=oracle.limits, cancel=stop, calls=_CALLS, seconds=_SECONDS)
    try:
        failing_pass = FailingPassSearch(oracle, text, target, tool).run()
    except Stopped:
        failing_pass = None
    cost.add(tool.cost.calls, tool.cost.cpu_seconds)
    if stop.is_set():
        return None
    if failing_pass is None:
        return False
    module = _parsed(failing_pass.text, oracle, cost)
    return module is not None and ops <= all_ops(module)


def _parsed(text: str, oracle: CompilerOracle, cost: Cost) -> Module | None:
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return None
    printer = OptPrinter(opt, oracle.limits)
    generic = printer.generic(text)
    cost.add(1, printer.cost.cpu_seconds)
    try:
        return Module.parse(generic) if generic is not None else None
    except GenericSyntaxError:
        return None


class ReproducerAnalysis:
    """Analyzes reproducers with small compiler runs, cached in the database; `cost` sums them."""

    def __init__(self, store: Store, matrix: RunMatrix, caps: Caps, stop: threading.Event) -> None:
        self._store = store
        self._database = store.database
        self._matrix = matrix
        self._limits = Limits(caps.seconds, caps.memory)
        self._stop = stop
        self.cost = Cost()

    def ops(self, reproducer: StoredReproducer | None) -> frozenset[str]:
        """The ops that a minimal reproducer is about; empty if it is missing or not minimal."""
        if reproducer is None or not reproducer.minimal:
            return frozenset()
        row = self._row(reproducer)
        if row is not None:
            return row[0]
        oracle = self._oracle(reproducer)
        if oracle is None:
            return frozenset()
        ops = ops_of(reproducer.text, oracle, self.cost)
        self._keep(reproducer, ops, None)
        return ops

    def reached(self, one: StoredReproducer) -> bool | None:
        """The cached result of `reaches_failing_pass`; None if it has not been computed yet."""
        row = self._row(one)
        return None if row is None else row[1]

    def reaches_failing_pass(self, reproducer: StoredReproducer) -> bool:
        """Whether the failing pass receives the reproducer's ops unchanged; runs it if unknown."""
        known, ops, oracle = (
            self.reached(reproducer),
            self.ops(reproducer),
            self._oracle(reproducer),
        )
        if known is not None or not ops or oracle is None:
            return bool(known)
        target = all_buckets(self._database)[reproducer.bucket].signature
        reached = ops_reach_failing_pass(
            ops, reproducer.text, target, oracle, self.cost, self._stop
        )
        if reached is not None:
            self._keep(reproducer, ops, reached)
        return bool(reached)

    def _row(self, one: StoredReproducer) -> tuple[frozenset[str], bool | None] | None:
        row = self._database.row(
            "SELECT ops, reached FROM grounds WHERE bucket = ? AND reproducer = ?",
            one.bucket, one.digest,
        )  # fmt: skip
        ops = row and tried(lambda text: parsed(text, list[str]), row["ops"])
        if row is None or ops is None:
            return None
        return frozenset(ops), None if row["reached"] is None else bool(row["reached"])

    def _keep(self, one: StoredReproducer, ops: frozenset[str], reached: bool | None) -> None:
        self._database.write(
            "INSERT OR REPLACE INTO grounds VALUES (?, ?, ?, ?)",
            one.bucket, one.digest, json.dumps(sorted(ops)), reached,
        )  # fmt: skip

    def _oracle(self, reproducer: StoredReproducer) -> CompilerOracle | None:
        """An oracle with the reproducer's compiler; None if this run does not use that compiler."""
        for compiler in self._matrix.compilers:
            if self._store.compiler(compiler) == reproducer.compiler:
                directory = self._matrix.directory
                return oracle_of(
                    compiler.program, compiler.version, reproducer.flags, directory, self._limits
                )
        return None
