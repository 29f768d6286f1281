from reducer.ir import Module
from reducer.page.graph import MAX_CONTEXT_NODES, Drawing, draw_around, draw_final
from tests.support.histories import FINAL, ORIGINAL, ORIGINS


def shown(drawing: Drawing) -> list[tuple[str, str]]:
    return [(box.lines[0], box.role) for box in drawing.boxes]


def test_the_final_program() -> None:
    drawing = draw_final(Module.parse(FINAL), ORIGINS, "t.bad")
    assert shown(drawing) == [("t.made", "new"), ("t.bad", "kept"), ("func.return", "kept")]
    assert [box.lines[0] for box in drawing.boxes if box.named] == ["t.bad"]
    assert len(drawing.edges) == 1


def test_the_neighbourhood_has_constants_with_their_values_and_types_below_names() -> None:
    drawing = draw_around(Module.parse(ORIGINAL), {4}, "")
    assert shown(drawing) == [
        ("t.constant 8", "around"),
        ("t.before", "around"),
        ("t.bad", "kept"),
        ("t.after", "around"),
        ("func.return", "around"),
    ]
    assert not any(edge.kept for edge in drawing.edges)
    both = draw_around(Module.parse(ORIGINAL), {3, 4}, "")
    assert sum(edge.kept for edge in both.edges) == 1
    assert drawing.boxes[2].lines == ("t.bad", "f32")
    assert drawing.hidden == 0


def test_a_value_with_many_users_does_not_fill_the_drawing() -> None:
    users = "".join(f'    %{n} = "t.use"(%0) : (i64) -> i64\n' for n in range(1, 500))
    text = ORIGINAL.replace('    %1 = "t.before"', f'{users}    %1000 = "t.before"').replace(
        "%1, %0", "%1000, %0"
    )
    module = Module.parse(text)
    kept = {op for op, name in enumerate(module.t.name) if name == "t.constant"}
    drawing = draw_around(module, kept, "")
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
    drawing = draw_final(Module.parse(text), {}, "")
    assert [edge.inside for edge in drawing.edges] == [True, False]
