from reducer.ir import Module
from reducer.report.page.graph import (
    MAX_CONTEXT_NODES,
    MAX_FINAL_NODES,
    Drawing,
    draw_around,
    draw_final,
)
from tests.support.histories import FINAL, ORIGINAL, ORIGINS


def shown(drawing: Drawing) -> list[tuple[str, str]]:
    return [(box.lines[0], box.role) for box in drawing.boxes]


def test_the_final_program() -> None:
    drawing = draw_final(Module.parse(FINAL), ORIGINS, [3])
    assert shown(drawing) == [
        ("%arg0", "argument"),
        ("t.made", "new"),
        ("t.bad", "kept"),
        ("func.return", "kept"),
    ]
    assert drawing.boxes[0].lines == ("%arg0", "f32")
    assert [box.lines[0] for box in drawing.boxes if box.failing] == ["t.bad"]
    assert len(drawing.edges) == 2


def test_the_neighbourhood_has_constants_with_their_values_and_types_below_names() -> None:
    drawing = draw_around(Module.parse(ORIGINAL), {4}, [4])
    assert shown(drawing) == [
        ("t.constant 8", "around"),
        ("t.before", "around"),
        ("t.bad", "kept"),
        ("t.after", "around"),
        ("func.return", "around"),
    ]
    assert not any(edge.kept for edge in drawing.edges)
    both = draw_around(Module.parse(ORIGINAL), {3, 4})
    assert sum(edge.kept for edge in both.edges) == 2  # one from the argument
    assert drawing.boxes[2].lines == ("t.bad", "f32")
    assert drawing.hidden == 0


def test_a_value_with_many_users_does_not_fill_the_drawing() -> None:
    users = "".join(f'    %{n} = "t.use"(%0) : (i64) -> i64\n' for n in range(1, 500))
    text = ORIGINAL.replace('    %1 = "t.before"', f'{users}    %1000 = "t.before"').replace(
        "%1, %0", "%1000, %0"
    )
    module = Module.parse(text)
    kept = {op for op, name in enumerate(module.t.name) if name == "t.constant"}
    drawing = draw_around(module, kept)
    assert len(drawing.boxes) <= MAX_CONTEXT_NODES
    assert drawing.hidden > 400


def test_ops_in_bodies_hang_below_the_op_around_them() -> None:
    text = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "t.loop"() ({
      %0 = "t.inner"() : () -> f32
      "t.yield"(%0) : (f32) -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    drawing = draw_final(Module.parse(text), {})
    assert [edge.inside for edge in drawing.edges] == [True, False]


LOOP = """\
"builtin.module"() ({
  "func.func"() <{function_type = (i64) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: i64):
    "t.loop"(%arg0) ({
    ^bb0(%arg1: i64, %arg2: i64):
      "t.inner"(%arg2) : (i64) -> ()
    }) : (i64) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_arguments_of_functions_are_drawn_and_those_of_bodies_where_they_are_used() -> None:
    drawing = draw_final(Module.parse(LOOP), {}, names={0: "%a"})
    assert [box.lines[0] for box in drawing.boxes] == [
        "%a",
        "t.loop",
        "%arg2",
        "t.inner",
        "func.return",
    ]
    assert [edge.inside for edge in drawing.edges] == [False, True, False]
    assert drawing.boxes[0].title == "%a, an argument of @f: i64"
    assert drawing.boxes[2].title == "%arg2, an argument of t.loop: i64"


def test_what_only_uses_values_from_outside_hangs_below_the_op_around_it() -> None:
    text = LOOP.replace('"t.inner"(%arg2)', '"t.inner"(%arg0)')
    drawing = draw_final(Module.parse(text), {})
    assert [box.lines[0] for box in drawing.boxes] == ["%arg0", "t.loop", "t.inner", "func.return"]
    assert sorted(edge.inside for edge in drawing.edges) == [False, False, True]


def chain(length: int) -> Module:
    ops = [f'    %{n + 1} = "t.step"(%{n}) : (i64) -> i64\n' for n in range(length)]
    return Module.parse(
        '"builtin.module"() ({\n  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({\n'
        '    %0 = "t.first"() : () -> i64\n' + "".join(ops) + "  }) : () -> ()\n}) : () -> ()\n"
    )


def test_the_failing_op_is_drawn_however_large_the_program_is() -> None:
    module = chain(MAX_FINAL_NODES + 100)
    failing = len(module) - 1
    drawing = draw_final(module, {}, [failing])
    assert [box.failing for box in drawing.boxes] == [False] * (MAX_FINAL_NODES - 1) + [True]
    assert drawing.hidden == 101
    around = draw_around(module, set(range(2, len(module))), [failing])
    assert sum(box.failing for box in around.boxes) == 1
    assert len(around.boxes) <= MAX_CONTEXT_NODES


def test_graphs_that_differ_only_in_types_have_the_same_shape() -> None:
    before = draw_around(Module.parse(FINAL.replace("f32", "f64")), {2, 3, 4}, [3])
    after = draw_final(Module.parse(FINAL), {2: 2, 3: 3, 4: 4}, [3])
    assert before.shape == after.shape
    assert before.shape != draw_final(Module.parse(ORIGINAL), {}).shape
