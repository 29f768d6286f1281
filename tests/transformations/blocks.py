"""Random functions of several blocks, for property tests of control flow changes."""

from hypothesis import strategies as st

_TYPES = ("i32", "f32", "tensor<4xf32>")
_Scope = list[tuple[str, str]]
_BRANCHES = ("cf.cond_br", "llvm.cond_br", "cf.switch", "t.branch")
_JUMPS = ("cf.br", "llvm.br", "t.jump")


@st.composite
def modules_with_blocks(draw: st.DrawFn) -> str:
    """The text of a module: functions of blocks that jump to one another, some of them empty."""
    lines = ['"builtin.module"() ({']
    for number in range(draw(st.integers(1, 2))):
        lines += _Writer(draw).function(f"f{number}")
    return "\n".join([*lines, "}) : () -> ()"]) + "\n"


class _Writer:
    """Writes one function. Values defined in its first block are visible in all others."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0
        self.targets: list[_Scope] = []  # the arguments of ^bb1, ^bb2…
        self.common: _Scope = []

    def function(self, name: str) -> list[str]:
        types = st.lists(st.sampled_from(_TYPES), max_size=3)
        arguments = self._named(self.draw(types))
        self.targets = [self._named(self.draw(types)) for _ in range(self.draw(st.integers(0, 4)))]
        results = self.draw(st.lists(st.sampled_from(_TYPES), max_size=1))
        first, self.common = self._ops(arguments)
        body = [*self._label(0, arguments), *first, self._last(0, self.common, results)]
        for number, own in enumerate(self.targets, 1):
            body += self._label(number, own)
            if self.draw(st.integers(0, 3)):
                ops, scope = self._ops([*self.common, *own])
                body += [*ops, self._last(number, scope, results)]
        inputs = ", ".join(kind for _, kind in arguments)
        outputs = results[0] if results else "()"
        properties = f'<{{function_type = ({inputs}) -> {outputs}, sym_name = "{name}"}}>'
        return [f'"func.func"() {properties} ({{', *body, "}) : () -> ()"]

    def _named(self, kinds: list[str]) -> _Scope:
        self.count += len(kinds)
        return [(f"%{self.count - number}", kind) for number, kind in enumerate(kinds)]

    def _label(self, number: int, arguments: _Scope) -> list[str]:
        if not number and not arguments:
            return []
        inside = ", ".join(f"{token}: {kind}" for token, kind in arguments)
        return [f"^bb{number}({inside}):" if inside else f"^bb{number}:"]

    def _ops(self, scope: _Scope) -> tuple[list[str], _Scope]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(0, 2))):
            operands = self.draw(st.lists(st.sampled_from(scope), max_size=2)) if scope else []
            [made] = self._named([self.draw(st.sampled_from(_TYPES))])
            lines.append(
                f'{made[0]} = "t.op"({_tokens(operands)}) : ({_kinds(operands)}) -> {made[1]}'
            )
            scope = [*scope, made]
        return lines, scope

    def _last(self, number: int, scope: _Scope, results: list[str]) -> str:
        """A jump or a branch if there is a target and a value to pass, else a return."""
        last = max(1, len(self.targets))
        numbers = st.integers(1, last) | st.just(min(number + 1, last))  # often the next block
        wanted = self.draw(st.lists(numbers, max_size=2)) if self.targets else []
        passed = [self._some(scope, [kind for _, kind in self.targets[n - 1]]) for n in wanted]
        known = [operands for operands in passed if operands is not None]
        if not known or len(known) < len(passed) or (len(known) > 1 and not scope):
            returned = self._some(scope, results)
            name, operands = ("t.trap", []) if returned is None else ("func.return", returned)
            return f'"{name}"({_tokens(operands)}) : ({_kinds(operands)}) -> ()'
        labels = ", ".join(f"^bb{target}" for target in wanted)
        operands = [value for group in known for value in group]
        if len(known) == 1:
            name = self.draw(st.sampled_from(_JUMPS))
            return f'"{name}"({_tokens(operands)})[{labels}] : ({_kinds(operands)}) -> ()'
        operands = [scope[0], *operands]
        name = self.draw(st.sampled_from(_BRANCHES))
        sizes = ", ".join(str(size) for size in (1, *(len(group) for group in known)))
        properties = f"<{{operandSegmentSizes = array<i32: {sizes}>}}>"
        return f'"{name}"({_tokens(operands)})[{labels}] {properties} : ({_kinds(operands)}) -> ()'

    def _some(self, scope: _Scope, kinds: list[str]) -> _Scope | None:
        """Values of these types, if there are any."""
        found = [[value for value in scope if value[1] == kind] for kind in kinds]
        return [self.draw(st.sampled_from(values)) for values in found] if all(found) else None


def _tokens(values: _Scope) -> str:
    return ", ".join(token for token, _ in values)


def _kinds(values: _Scope) -> str:
    return ", ".join(kind for _, kind in values)
