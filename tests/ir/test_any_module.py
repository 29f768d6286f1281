"""What holds of any module: the op table says what the text does, and every edit is well formed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.elements import ElementTypes
from reducer.ir.lines import op_count_of
from reducer.ir.sizes import DROPPED, Size, SizeSystem
from tests.support.modules import modules
from tests.support.printing import printed
from tests.support.wellformed import problems


@settings(max_examples=40)
@given(modules())
def test_the_table_says_what_the_text_does(text: str) -> None:
    module = Module.parse(text)
    assert printed(module) == text
    assert problems(module) == []
    assert op_count_of(text) in (None, module.op_count)
    unread = module.edited(text)
    assert unread.op_count == module.op_count
    assert unread.t == module.t
    for value in range(len(module.tokens)):
        for op, number in module.uses[value]:
            span = slice(module.t.operands_start[op], module.t.operands_end[op])
            assert text[span].split(", ")[number] == module.tokens[value]
    used = sum(len(module.uses[value]) for value in range(len(module.tokens)))
    assert used == sum(v != NONE for operands in module.t.operands for v in operands)


@settings(max_examples=40)
@given(modules(), st.data())
def test_new_types_elements_and_sizes_leave_it_well_formed(text: str, data: st.DataObject) -> None:
    module = Module.parse(text)
    chosen = data.draw(st.sets(st.sampled_from(range(len(module.tokens))))) if module.tokens else ()
    rewrite = Rewrite(module)
    for value in chosen:
        rewrite.set_type(value, "tensor<3xf64>")
    after = Module.parse(rewrite.render())
    assert problems(after) == []
    assert [after.type_of(v) for v in chosen] == ["tensor<3xf64>" for _ in chosen]

    types = ElementTypes(module)
    wider = types.text(dict.fromkeys(range(len(types.classes)), "f64"))
    assert problems(Module.parse(wider)) == []

    system = SizeSystem(module)
    choice = st.sampled_from([1, 2, DROPPED])
    sizes: dict[int, Size] = {v.number: data.draw(choice) for v in system.free}
    smaller = system.text(sizes)
    assert smaller is None or problems(Module.parse(smaller)) == []
