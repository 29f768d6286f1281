"""Random modules with loops, structured ops, branches and calls, for property tests."""

from hypothesis import strategies as st

TYPES = ("i32", "f32", "tensor<4xf32>")
Scope = list[tuple[str, str]]


@st.composite
def modules_with_bodies(draw: st.DrawFn) -> str:
    """The text of a module: functions that may call those before them, some with loops."""
    lines = ["#map = affine_map<(d0) -> (d0)>", '"builtin.module"() ({']
    functions: list[tuple[str, list[str], list[str]]] = []
    for number in range(draw(st.integers(1, 3))):
        inputs = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=4))
        writer = _Writer(draw, functions)
        scope = [(f"%arg{i}", kind) for i, kind in enumerate(inputs)]
        body, scope = writer.ops(scope, 2)
        returned = draw(st.lists(st.sampled_from(scope), max_size=3))
        results = [kind for _, kind in returned]
        properties = f'function_type = {_types(inputs, results)}, sym_name = "f{number}"'
        lines += [
            f'"func.func"() <{{{properties}}}> ({{',
            f"^bb0({_labels(scope[: len(inputs)])}):",
            *body,
            _op([], "func.return", returned, ""),
            "}) : () -> ()",
        ]
        functions.append((f"f{number}", inputs, results))
    return "\n".join([*lines, "}) : () -> ()"]) + "\n"


class _Writer:
    """Writes the body of one function; every value has a name of its own."""

    def __init__(self, draw: st.DrawFn, functions: list[tuple[str, list[str], list[str]]]) -> None:
        self.draw = draw
        self.functions = functions
        self.count = 0

    def ops(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(0, 4))):
            kinds = [self._plain, self._call, self._loop, self._structured, self._branch]
            write = self.draw(st.sampled_from(kinds if depth else kinds[:2]))
            more, made = write(scope, depth)
            lines += more
            scope = [*scope, *made]
        return lines, scope

    def _some(self, scope: Scope, kinds: list[str]) -> Scope | None:
        """Values of these types, if there are any."""
        found = [[v for v in scope if v[1] == kind] for kind in kinds]
        return [self.draw(st.sampled_from(v)) for v in found] if all(found) else None

    def _make(self, kinds: list[str]) -> Scope:
        self.count += 1
        if len(kinds) == 1:
            return [(f"%{self.count}", kinds[0])]
        return [(f"%{self.count}#{i}", kind) for i, kind in enumerate(kinds)]

    def _block(self, kinds: list[str]) -> Scope:
        self.count += 1
        return [(f"%in{self.count}_{i}", kind) for i, kind in enumerate(kinds)]

    def _plain(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        operands = self.draw(st.lists(st.sampled_from(scope), max_size=3))
        made = self._make(self.draw(st.lists(st.sampled_from(TYPES), max_size=2)))
        return [_op(made, "t.op", operands, "")], made

    def _call(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        if not self.functions:
            return [], []
        name, inputs, results = self.draw(st.sampled_from(self.functions))
        operands = self._some(scope, inputs)
        if operands is None:
            return [], []
        made = self._make(results)
        return [_op(made, "func.call", operands, f" <{{callee = @{name}}}>")], made

    def _loop(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        initial = self.draw(st.lists(st.sampled_from(scope), max_size=3))
        kinds = [kind for _, kind in initial]
        arguments, made = self._block(kinds), self._make(kinds)
        body, inner = self.ops([*scope, *arguments], depth - 1)
        yielded = self._some(inner, kinds) or []
        return _with_body(made, "t.loop", initial, "", arguments, body, yielded), made

    def _structured(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        outputs = self.draw(st.integers(1, 2))
        tensors = [v for v in scope if v[1] == TYPES[2]]
        if not tensors:
            return [], []
        size = st.lists(st.sampled_from(tensors), min_size=outputs, max_size=outputs + 2)
        operands = self.draw(size)
        arguments, made = self._block(["f32"] * len(operands)), self._make([TYPES[2]] * outputs)
        body, inner = self.ops([*scope, *arguments], depth - 1)
        yielded = self._some(inner, ["f32"] * outputs) or []
        maps = f"[{', '.join(['#map'] * len(operands))}]"
        segments = f"array<i32: {len(operands) - outputs}, {outputs}>"
        properties = f"indexing_maps = {maps}, operandSegmentSizes = {segments}"
        head = f" <{{{properties}}}>"
        return _with_body(made, "t.structured", operands, head, arguments, body, yielded), made

    def _branch(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        yielded = self.draw(st.lists(st.sampled_from(scope), max_size=2))
        kinds = [kind for _, kind in yielded]
        body, inner = self.ops(scope, depth - 1)
        made = self._make(kinds)
        other = self._some(inner, kinds) or []
        return _with_body(made, "t.if", [], "", [], body, other), made


def _with_body(
    made: Scope,
    name: str,
    operands: Scope,
    head: str,
    arguments: Scope,
    body: list[str],
    yielded: Scope,
) -> list[str]:
    header, _, types = _op(made, name, operands, head).rpartition(" : ")
    label = [f"^bb0({_labels(arguments)}):"] if arguments else []
    return [f"{header} ({{", *label, *body, _op([], "t.yield", yielded, ""), f"}}) : {types}"]


def _op(made: Scope, name: str, operands: Scope, head: str) -> str:
    left = ""
    if made:
        base = made[0][0].partition("#")[0]
        left = f"{base} = " if len(made) == 1 else f"{base}:{len(made)} = "
    types = _types([kind for _, kind in operands], [kind for _, kind in made])
    return f'{left}"{name}"({", ".join(token for token, _ in operands)}){head} : {types}'


def _labels(values: Scope) -> str:
    return ", ".join(f"{token}: {kind}" for token, kind in values)


def _types(inputs: list[str], results: list[str]) -> str:
    outputs = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return f"({', '.join(inputs)}) -> {outputs}"
