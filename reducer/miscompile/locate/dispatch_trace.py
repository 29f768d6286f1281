"""Make a program show what each of its dispatches reads and makes.

The compiler has a flag for that, but it gives every call of one dispatch the same key, some
releases print tensors in another order than the calls, and the program takes many times as long to
compile. So the IR is changed here, and the compiler continues from there:

- The function that is called returns these values besides its own results (see `returning`). That
  takes a tenth of the time, but is possible only for calls directly in its body.
- The others (in loops, branches and further functions) are printed by ops of the compiler, once in
  each block, however many dispatches read them.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from oracles.profiles import DispatchCalls
from reducer.ir import NONE, Module, Rewrite
from reducer.miscompile.locate.dispatch_calls import DispatchCall, Operand
from reducer.miscompile.locate.extra_results import Returning, as_tensor
from reducer.miscompile.values.programs import ValueType, printed_tensors

_NUMBER = re.compile(r"index$|(?:bf|f|i)\d+$")
_PRINTED = re.compile(r"((?:\d+x)*)[a-z]\w*=(.*)$")

Key = tuple[str, int]
"""Where a value is found: among the inputs, the results, or what an op prints; and its number."""

_INPUT, _RESULT = "input", "result"

_TOGETHER = 64
"""The number of values from which on another op prints the next ones. Each op is a point at which
everything before it must be done; fewer of them keep more tensors in memory."""


@dataclass(frozen=True)
class WatchedCall:
    """A call with the places where its arguments and results are found."""

    call: DispatchCall
    arguments: tuple[Key, ...]
    results: tuple[Key, ...]


@dataclass(frozen=True)
class Watched:
    """A program that shows its values; `own_results` counts those that it returned before."""

    text: str
    calls: tuple[WatchedCall, ...]
    own_results: int | None


@dataclass(frozen=True)
class Execution:
    """One execution of a call: its arguments and results, as a user gives inputs."""

    call: DispatchCall
    arguments: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of characters of the arguments."""
        return sum(map(len, self.arguments))


def watched(
    module: Module,
    calls: Sequence[DispatchCall],
    ir: DispatchCalls,
    function: str | None,
    *,
    packed: bool = True,
) -> Watched:
    """The program that shows the values of those calls that read and make only numbers.

    `function` is the one that is called; None prints all values and returns none. `packed` is
    whether to show elements that share bytes, of which some runtimes reject tensors.
    """
    watching = _Watching(module, ir, function, packed)
    found = [one for call in calls if (one := watching.watch(call)) is not None]
    return Watched(watching.text(), tuple(found), watching.own_results)


def executions(
    program: Watched, inputs: Sequence[str], stdout: str, stderr: str, ir: DispatchCalls
) -> list[Execution]:
    """What the calls read and made: first executions of each call in text order, then second ones…

    A call that did not run, or whose values cannot be read, has no execution.
    """
    values = _traced(stderr, re.compile(ir.traced))
    values |= {(_INPUT, number): [word] for number, word in enumerate(inputs)}
    values |= {(_RESULT, number): [word] for number, word in printed_tensors(stdout).items()}
    rounds: list[tuple[int, Execution]] = []
    for one in program.calls:
        lists = [values.get(key, []) for key in (*one.arguments, *one.results)]
        operands = (*one.call.arguments, *one.call.results)
        for number in range(_executed(one, lists)):
            spelled = [
                _spelled(operand, known[min(number, len(known) - 1)])
                for operand, known in zip(operands, lists, strict=True)
            ]
            words = [word for word in spelled if word is not None]
            if len(words) == len(operands):
                count = len(one.arguments)
                found = Execution(one.call, tuple(words[:count]), tuple(words[count:]))
                rounds.append((number, found))
    return [found for _, found in sorted(rounds, key=lambda pair: pair[0])]


def _executed(one: WatchedCall, lists: Sequence[Sequence[str]]) -> int:
    """How often a call was executed, as far as all of its values are known."""
    keys = (*one.arguments, *one.results)
    changing = [len(known) for key, known in zip(keys, lists, strict=True) if key[0] != _INPUT]
    return min(changing, default=0) if all(lists) else 0


class _Watching:
    """Collects the changes."""

    def __init__(
        self, module: Module, ir: DispatchCalls, function: str | None, packed: bool
    ) -> None:
        self._module = module
        self._packed = packed
        self._ir = ir
        self._rewrite = Rewrite(module)
        self._keys: dict[tuple[int, str], Key] = {}
        self._groups: dict[int, list[_PrintedGroup]] = {}
        self._returning = Returning(module, self._rewrite, ir, function)
        self.own_results = self._returning.own_results

    def watch(self, call: DispatchCall) -> WatchedCall | None:
        operands = (*call.arguments, *call.results)
        if not all(_is_readable(one, packed=self._packed) for one in operands):
            return None
        keys = [self._key(call, one) for one in operands]
        count = len(call.arguments)
        return WatchedCall(call, tuple(keys[:count]), tuple(keys[count:]))

    def _key(self, call: DispatchCall, operand: Operand) -> Key:
        place = (call.block, operand.name)
        returning = self._returning
        if call.block == returning.block and operand.name in returning.inputs:
            return _INPUT, returning.inputs[operand.name]
        group = None if call.block == returning.block else self._group(call)
        if place not in self._keys:
            if group is None:
                self._keys[place] = (_RESULT, returning.add(operand))
            else:
                self._keys[place] = (group.name, len(group.operands))
                group.operands.append(operand)
        return self._keys[place]

    def _group(self, call: DispatchCall) -> "_PrintedGroup":
        """The group for the values of a call, in the block of the call."""
        groups = self._groups.setdefault(call.block, [])
        if not groups or (len(groups[-1].operands) >= _TOGETHER and groups[-1].last != call.op):
            groups.append(_PrintedGroup(f"{call.block}.{len(groups)}"))
        groups[-1].last = call.op
        return groups[-1]

    def text(self) -> str:
        """The text of the module with the changes."""
        for group in (group for groups in self._groups.values() for group in groups):
            at = self._module.t.end[group.last]
            self._rewrite.replace(at, at, group.text(self._ir))
        self._returning.finish()
        return self._rewrite.render()


@dataclass
class _PrintedGroup:
    """Values of one block that one op prints after the call `last`, when all of them are known."""

    name: str
    operands: list[Operand] = field(default_factory=list)
    last: int = NONE

    def text(self, ir: DispatchCalls) -> str:
        prefix = f"%traced_{self.name.replace('.', '_')}"
        made = [
            as_tensor(one, f"{prefix}_{number}", ir) for number, one in enumerate(self.operands)
        ]
        return "".join([*(text for text, _ in made), ir.trace(self.name, [one for _, one in made])])


def _is_readable(operand: Operand, *, packed: bool) -> bool:
    """Whether a value is a number or a tensor of numbers; one with an encoding is not."""
    if operand.is_tensor:
        type_ = ValueType.parse(operand.type)
        return type_ is not None and (packed or not _is_packed(type_))
    return _NUMBER.match(operand.type) is not None


def _traced(printed: str, header: re.Pattern[str]) -> dict[Key, list[str]]:
    """The printed tensors under each key, in order."""
    values: dict[Key, list[str]] = {}
    name, number = "", 0
    for line in printed.splitlines():
        found = header.match(line)
        if found is not None:
            name, number = found[1], 0
        elif not line:
            name = ""
        elif name:
            values.setdefault((name, number), []).append(line)
            number += 1
    return values


def _spelled(operand: Operand, printed: str) -> str | None:
    """A printed tensor as a user gives an input; None if it cannot be read."""
    if not operand.is_tensor and "=" not in printed:  # an input of the whole program
        return printed
    found = _PRINTED.match(printed)
    if found is None or found[2].endswith("..."):
        return None
    if not operand.is_tensor:
        return found[2]
    type_ = ValueType.parse(operand.type)
    assert type_ is not None
    shape = tuple(int(size) for size in found[1].split("x")[:-1])
    values = found[2]
    if _is_packed(type_):
        if not type_.element.startswith("i"):
            return None
        values = _unpacked(values, type_.bits, math.prod(shape))
    return f"{replace(type_, shape=shape)}={values}"


def _is_packed(type_: ValueType) -> bool:
    """Whether several elements share a byte."""
    return type_.bits < 8 and type_.element != "i1"


def _unpacked(printed: str, bits: int, count: int) -> str:
    """Signed integers that share bytes, of which the first has the lowest bits.

    >>> _unpacked("21 f0", 4, 3)
    '1 2 0'
    """
    numbers = []
    for word in printed.replace("[", " ").replace("]", " ").split():
        for shift in range(0, 8, bits):
            number = int(word, 16) >> shift & ((1 << bits) - 1)
            numbers.append(number - (1 << bits) if number >> (bits - 1) else number)
    return " ".join(map(str, numbers[:count]))
