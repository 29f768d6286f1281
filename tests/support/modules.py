"""Random modules in generic form, for property tests."""

from hypothesis import strategies as st

TYPES = ("i32", "f32", "index", "tensor<4xf32>", "tensor<?x8xf16>", "!t.box<[?,4],f32>", "!t.int")
NAMES = ("t.add", "t.make", "t.use", "arith.constant", "linalg.generic")


@st.composite
def modules(draw: st.DrawFn) -> str:
    """The text of a module: globals, then functions of straight-line ops, some with regions."""
    lines = ["#map = affine_map<(d0) -> (d0)>", '"builtin.module"() ({']
    for number in range(draw(st.integers(0, 2))):
        lines.append(f'  "t.global"() <{{sym_name = "g{number}", type = i32}}> : () -> ()')
    for number in range(draw(st.integers(1, 3))):
        lines.extend(draw(_function(number)))
    lines.append("}) : () -> ()")
    return "\n".join(lines) + "\n"


@st.composite
def _function(draw: st.DrawFn, number: int) -> list[str]:
    arguments = draw(st.lists(st.sampled_from(TYPES), max_size=4))
    scope = [(f"%arg{i}", kind) for i, kind in enumerate(arguments)]
    body: list[str] = []
    for index in range(draw(st.integers(0, 12))):
        lines, results = draw(_op(scope, index, "    "))
        body.extend(lines)
        scope = [*scope, *results]
    returned = draw(st.lists(st.sampled_from(scope), max_size=3)) if scope else []
    types = ", ".join(kind for _, kind in returned)
    inputs = ", ".join(arguments)
    outputs = types if len(returned) == 1 else f"({types})"
    label = [f"  ^bb0({', '.join(f'%arg{i}: {k}' for i, k in enumerate(arguments))}):"]
    properties = f'<{{function_type = ({inputs}) -> {outputs}, sym_name = "f{number}"}}>'
    return [
        f'  "func.func"() {properties} ({{',
        *(label if arguments else []),
        *body,
        f'    "func.return"({", ".join(t for t, _ in returned)}) : ({types}) -> ()',
        "  }) : () -> ()",
    ]


@st.composite
def _op(
    draw: st.DrawFn, scope: list[tuple[str, str]], number: int, indent: str
) -> tuple[list[str], list[tuple[str, str]]]:
    operands = draw(st.lists(st.sampled_from(scope), max_size=3)) if scope else []
    results = draw(st.lists(st.sampled_from(TYPES), max_size=2))
    name = draw(st.sampled_from(NAMES))
    tokens = ", ".join(token for token, _ in operands)
    types = f"({', '.join(k for _, k in operands)}) -> {_results(results)}"
    left = {0: "", 1: f"%{number} = "}.get(len(results), f"%{number}:{len(results)} = ")
    attributes = draw(st.sampled_from(["", " {a = #map}", ' <{s = "x\\"} ({"}>', " {of = @g0}"]))
    made = (
        [(f"%{number}", results[0])]
        if len(results) == 1
        else [(f"%{number}#{i}", kind) for i, kind in enumerate(results)]
    )
    if not draw(st.booleans()) or len(indent) > 4:
        return [f'{indent}{left}"{name}"({tokens}){attributes} : {types}'], made
    inner_scope = [*scope, (f"%in{number}", "f32")]
    inner, _ = draw(_op(inner_scope, 1000 + number, indent + "  "))
    # Braces of attributes come after the regions, as the printer puts them.
    return [
        f'{indent}{left}"{name}"({tokens}) ({{',
        f"{indent}^bb0(%in{number}: f32):",
        *inner,
        f'{indent}  "t.yield"(%in{number}) : (f32) -> ()',
        f"{indent}}}) : {types}",
    ], made


def _results(kinds: list[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
