"""Carving: keep some body ops of a module, stub the values they lose, return what others used.

Carving turns any subset of a module's ops into a module that verifies:

- A lost value becomes a new argument of the function, if its type may cross the boundary.
  Otherwise its producer stays too (scalars, lists and other configuration of the front end).
- Cheap scalar producers stay unless they are to be deleted, because compilers treat constants
  specially. Where a function computes nothing but scalars, only its constants are cheap.
- Configuration that lost its last user is dropped.
- A result that a dropped op used is returned, so that no kept op becomes dead code. Results
  that had no users are not returned: being unused may be what triggers the failure.
- Functions without kept body ops are dropped, and so are symbols without references, together
  with the executables or modules around them.
- A function that is called or exported keeps its type, so its values are not stubbed.

The idea of typed stubs for lost definitions comes from DRReduce (arXiv 2605.19412).
"""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import groupby

from reducer.ir import NONE, Module, Returned, Rewrite
from reducer.ir.functions import type_of_function
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.boundary_types import BoundaryTypes

_LONG_CONSTANT = 300  # characters; a longer constant is data and becomes an argument


class Carving:
    """One carving of `module`. `render` returns the text; `kept` are the body ops that stay.

    Args:
        keep: the body ops to keep.
        gone: body ops that must not be kept as cheap producers, if their types can be stubbed.
    """

    def __init__(
        self,
        body: BodyOps,
        keep: Iterable[int],
        boundary: BoundaryTypes,
        *,
        gone: frozenset[int] = frozenset(),
    ) -> None:
        self.body = body
        self.module: Module = body.module
        self.boundary = boundary
        self.gone = gone
        self.kept: set[int] = set(keep)
        self.lost: dict[int, set[int]] = {}  # function -> values that become arguments
        self.kept_whole: set[int] = set()  # functions that kept ops refer to
        self.kept_symbols: set[int] = set()  # other symbols that kept ops refer to
        self._settled: set[int] = set()
        self._shaped: dict[int, bool] = {}
        self._close()
        self._drop_idle()
        self._bereft = sorted(self._having_lost_users())

    # ---- what must stay --------------------------------------------------------------------

    def _close(self) -> None:
        """Keep producers that cannot be stubbed, and referenced symbols, to a fixpoint."""
        self._settle(sorted(self._exposed()))
        done: set[int] = set()
        while functions := [f for f in self._active_functions() if f not in done]:
            done.update(functions)
            for function in functions:
                self._settle(
                    self._producers_of(function, self._fixed_terminator_operands(function))
                )

    def _dropped(self) -> set[int] | None:
        """The body ops that go, if they are few: then what they touch is found faster."""
        every = self.body.function_of
        return every.keys() - self.kept if 2 * len(self.kept) > len(every) else None

    def _exposed(self) -> set[int]:
        """The kept ops that may have lost an operand or refer to symbols."""
        dropped = self._dropped()
        if dropped is None:
            return self.kept
        users = self.body.users
        affected = {user for op in dropped for user in users.get(op, ())}
        return self.kept & (affected | self.body.referring)

    def _having_lost_users(self) -> set[int]:
        """The kept ops with a result that a dropped op used."""
        dropped, users = self._dropped(), self.body.users
        if dropped is None:
            return {op for op in self.kept & users.keys() if self._lost_a_user(op)}
        return {maker for op in dropped for maker in self.body.makers(op) if maker in self.kept}

    def _settle(self, waiting: list[int]) -> None:
        while waiting:
            body_op = waiting.pop()
            if body_op not in self._settled:
                self._settled.add(body_op)
                self.kept.add(body_op)
                function = self.body.function_of[body_op]
                waiting.extend(self._producers_of(function, self.module.captured(body_op)))
                waiting.extend(self._follow_symbols(body_op))

    def _producers_of(self, function: int, values: list[int]) -> list[int]:
        """Producers of these values that must stay in the function."""
        out: list[int] = []
        for value in values:
            producer = self.module.t.def_op[value]
            if producer in self.kept or producer not in self.body.function_of:
                continue  # it stays, as do terminators and arguments
            if function in self.kept_whole or not self._stub(value):
                out.append(producer)
        return out

    def _may_change(self, function: int) -> bool:
        """Whether a function's arguments and results may change."""
        return function not in self.kept_whole and self.body.may_change(function)

    def _stub(self, value: int) -> bool:
        """Whether a lost value becomes an argument; otherwise its producer must stay."""
        producer = self.module.t.def_op[value]
        function = self.body.function_of.get(producer, NONE)
        if function == NONE or not self._may_change(function):
            return False
        kind = self.module.type_of(value)
        if not self.boundary.allows(kind):
            return False
        if producer not in self.gone and self._is_cheap(producer, kind):
            return False
        self.lost.setdefault(function, set()).add(value)
        return True

    def _is_cheap(self, producer: int, kind: str) -> bool:
        t = self.module.t
        if producer in t.regions or producer in t.successors:
            return False
        text = self.module.header(producer)
        if len(text) > _LONG_CONSTANT or "@" in text:
            return False
        if not t.operands[producer]:
            return True
        function = self.body.function_of[producer]
        return not self.boundary.is_shaped(kind) and self._computes_shaped(function)

    def _computes_shaped(self, function: int) -> bool:
        """Whether a function computes tensors or the like; where all is scalar, none is cheap."""
        known = self._shaped.get(function)
        if known is None:
            values = (v for op in self.body.ops_in[function] for v in self.module.results(op))
            known = any(self.boundary.is_shaped(self.module.type_of(value)) for value in values)
            self._shaped[function] = known
        return known

    def _follow_symbols(self, body_op: int) -> list[int]:
        """Keep the symbols that a body op refers to; returns the body ops of kept functions."""
        out: list[int] = []
        waiting = [(name, body_op) for name in self.module.symbol_refs(body_op)]
        while waiting:
            op = self.body.definition(*waiting.pop())
            if op == NONE or op in self.kept_symbols or op in self.kept_whole:
                continue
            if op in self.body.ops_in:
                out.extend(self._keep_whole(op))
                continue
            self.kept_symbols.add(op)
            waiting.extend((name, op) for name in self.module.symbol_refs(op))
            for function in self.body.functions_inside(op):
                out.extend(self._keep_whole(function))
        return out

    def _keep_whole(self, function: int) -> list[int]:
        self.kept_whole.add(function)
        return self.body.ops_in[function]

    def _active_functions(self) -> list[int]:
        """Functions that stay; all of them, even if empty, when single ops are to be deleted."""
        if self.gone:
            return self.body.functions
        return sorted({self.body.function_of[body_op] for body_op in self.kept} | self.kept_whole)

    def _drop_idle(self) -> None:
        """Drop kept configuration whose users have all been dropped, from the last to the first."""
        users = self.body.users
        waiting = [-op for op in self._having_lost_users()]
        heapify(waiting)
        while waiting:
            body_op = -heappop(waiting)
            if body_op not in self.kept:
                continue
            if any(user == NONE or user in self.kept for user in users[body_op]):
                continue
            if self.body.function_of[body_op] not in self.kept_whole and is_configuration(
                self.body, body_op, self.boundary
            ):
                self.kept.discard(body_op)
                for maker in self.body.makers(body_op):
                    heappush(waiting, -maker)

    # ---- terminators -----------------------------------------------------------------------

    def _returning(self, function: int) -> int | None:
        """The terminator that returns the function's results, if these may change."""
        return None if function in self.kept_whole else self.body.returning(function)

    def _fixed_terminator_operands(self, function: int) -> list[int]:
        if self._returning(function) is not None:
            return []
        out: list[int] = []
        for block in self.module.blocks_of(function):
            ops = self.module.t.block_ops[block]
            if ops:
                out.extend(self.module.captured(ops[-1]))
        return out

    def _wanted(self, function: int, terminator: int, passed: Container[int]) -> list[Returned]:
        """Values to return: old results that are still there, then what dropped ops used.

        An argument counts if a kept op uses it, which are the `passed` ones: what that op does with
        its memory may then matter.
        """
        module = self.module
        out: dict[int, Returned] = {}
        for value, producer, returned in self.body.returned(terminator):
            if producer in self.kept or value in passed:
                out[value] = returned
        for body_op in self._bereft if self.boundary.returns else ():
            if self.body.function_of[body_op] != function:
                continue
            for value in module.results(body_op):
                if value not in out and self._used_by_dropped(value):
                    kind = module.type_of(value)
                    if self.boundary.allows(kind):
                        out[value] = Returned(module.tokens[value], kind)
        found = type_of_function(module, function)
        return list(out.values())[: found.most_results if found else None]

    def _lost_a_user(self, body_op: int) -> bool:
        users = self.body.users.get(body_op, ())
        return any(user != NONE and user not in self.kept for user in users)

    def _used_by_dropped(self, value: int) -> bool:
        for op, _ in self.module.uses[value]:
            body_op = self.body.body_op_of(op)
            if body_op != NONE and body_op not in self.kept:
                return True
        return False

    # ---- rendering -------------------------------------------------------------------------

    def render(self) -> str:
        """The carved module as text."""
        rewrite = Rewrite(self.module)
        active = set(self._active_functions())
        enclosing = set(self._enclosing_to_keep(active))
        for op in (*self.body.functions, *self.body.enclosing):
            if op not in active and op not in enclosing:
                rewrite.remove(op)
        for op in self.body.module_symbols:
            if not self._stays_beside(op, enclosing):
                rewrite.remove(op)
        for body_op in self.body.function_of.keys() - self.kept:
            if self.body.function_of[body_op] in active:
                rewrite.remove(body_op)
        for function in sorted(active - self.kept_whole):
            self._render_function(rewrite, function)
        for op in (active | enclosing) - self.kept_whole - self.kept_symbols:
            # It lost its last reference, so if it were private, it would be dead from now on.
            if op not in self.body.exported and self._was_referred_to(op):
                rewrite.set_entry(op, "sym_visibility", None)
        return rewrite.render()

    def _was_referred_to(self, op: int) -> bool:
        """Whether an op outside it refers to a symbol, such as a call of a function."""
        return any(not self.module.is_inside(user, op) for user in self.body.users_of(op))

    def _enclosing_to_keep(self, active: set[int]) -> Iterator[int]:
        for function in active:
            yield from self.body.enclosing_ops(function)
        for op in self.kept_symbols:
            yield from self.body.enclosing_ops(op)
            yield op

    def _stays_beside(self, op: int, enclosing: set[int]) -> bool:
        """True for ops that have no name, are referenced, or belong to a kept enclosing op."""
        if op in self.kept_symbols or self.module.symbol_name(op) is None:
            return True
        return next(self.body.enclosing_ops(op), NONE) in enclosing

    def _render_function(self, rewrite: Rewrite, function: int) -> None:
        module = self.module
        for value in sorted(self.lost.get(function, ())):
            if module.t.def_op[value] not in self.kept:
                rewrite.substitute(value, rewrite.add_argument(function, module.type_of(value)))
        terminator = self._returning(function)
        if terminator is not None:
            users = self.body.argument_users(function)
            used = {value for value in users if not users[value].isdisjoint(self.kept)}
            rewrite.set_returns(function, terminator, self._wanted(function, terminator, used))
            for number, value in enumerate(users):
                if value not in used:
                    rewrite.drop_argument(function, number)


def is_configuration(body: BodyOps, body_op: int, boundary: BoundaryTypes) -> bool:
    """Whether a body op only makes constants, or values that cannot cross a function boundary."""
    module = body.module
    if body_op in module.t.regions or not module.t.num_results[body_op]:
        return False
    kinds = [module.type_of(value) for value in module.results(body_op)]
    if not any(boundary.allows(kind) for kind in kinds):
        return True
    return not module.t.operands[body_op] and not any(boundary.is_shaped(kind) for kind in kinds)


def carve(body: BodyOps, keep: Iterable[int], boundary: BoundaryTypes) -> str:
    """The text of a module with only these body ops, completed by stubs."""
    return Carving(body, keep, boundary).render()


def lift(module: Module, ops: Iterable[int], boundary: BoundaryTypes) -> str | None:
    """The text of a module with only these ops, lifted out of the bodies that they are in.

    What these define becomes an argument of the function, what is cheap and feeds them stays, and
    results that are used are returned. An op is left out if one of its values cannot cross the
    boundary; None if none of them is in a body op.
    """
    body, rewrite = BodyOps.of(module), Rewrite(module)
    kept: list[int] = []
    gone: list[int] = []  # around those that are lifted
    returned: dict[int, list[int]] = {}
    liftable = (op for op in ops if not module.hidden[op] and op not in module.t.successors)
    for around, inside in groupby(module.outermost(liftable), key=body.body_op_of):
        able = [around] if (found := list(inside)) == [around] else []
        if around != NONE and not able:
            able = _lift_out(rewrite, body, around, found, boundary, returned)
            stays = {inner for op in able for inner in module.subtree(op)}
            gone += [op for op in module.subtree(around) if able and op not in stays]
        kept += able
    if not gone:
        return None
    for function, values in returned.items():
        if (terminator := body.returning(function)) is not None:
            values = values if boundary.returns else []
            added = [Returned(rewrite.token(v), module.type_of(v)) for v in values]
            rewrite.set_returns(function, terminator, added)
    after = Module.parse(rewrite.render())
    return carve(BodyOps.of(after), [op - bisect_left(gone, op) for op in kept], boundary)


def _lift_out(
    rewrite: Rewrite,
    body: BodyOps,
    around: int,
    ops: Iterable[int],
    boundary: BoundaryTypes,
    returned: dict[int, list[int]],
) -> list[int]:
    """Replace a body op by those of the ops in it that can stand outside, and return these."""
    module, function = rewrite.module, body.function_of[around]
    results = [v for v in module.results(around) if module.uses[v]]
    lost, able, values = list[int](), list[int](), list[int]()
    for op in ops:
        captured = [
            v for v in module.captured(op) if module.is_inside(module.def_parent(v), around)
        ]
        captured = [v for v in captured if module.t.def_op[v] not in able]
        used = [v for v in module.results(op) if module.uses[v]]
        if all(boundary.allows(module.type_of(v)) for v in (*results, *captured, *used)):
            able.append(op)
            values += used
            lost += captured
    if not able or (body.returning(function) is None and not body.may_change(function)):
        return []
    for op in able:
        rewrite.rename(op)
    for value in dict.fromkeys((*lost, *results)):
        rewrite.substitute(value, rewrite.add_argument(function, module.type_of(value)))
    rewrite.hoist(around, able)
    returned.setdefault(function, []).extend(values)
    return able


def with_result(module: Module, boundary: BoundaryTypes) -> str | None:
    """The text of a module whose largest function returns one value; None if it does already."""
    body, t = BodyOps.of(module), module.t
    function = max(body.functions, key=lambda function: len(body.ops_in[function]), default=NONE)
    terminator = None if function == NONE else body.returning(function)
    if terminator is None or t.operands[terminator]:
        return None
    ops = t.block_ops[t.block[terminator]]
    values = [v for op in ops for v in module.results(op) if boundary.allows(module.type_of(v))]
    if not values:
        return None
    rewrite = Rewrite(module)
    returned = Returned(module.tokens[values[-1]], module.type_of(values[-1]))
    rewrite.set_returns(function, terminator, [returned])
    return rewrite.render()
