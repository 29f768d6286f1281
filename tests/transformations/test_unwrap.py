"""Replacing ops with their bodies."""

from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from reducer.transformations.unwrap import WHOLE, UnwrapBodies
from tests.support.sides import apply_to, body_of, function

ABI = BoundaryTypes(frozenset())

LOOP = function(
    """
    %0 = "scf.for"(%arg0, %arg1) ({
    ^bb0(%arg2: index, %arg3: f32):
      %1 = "t.load"(%arg2) : (index) -> f32
      %2 = "t.add"(%arg3, %1) : (f32, f32) -> f32
      "scf.yield"(%2) : (f32) -> ()
    }) : (index, f32) -> f32
    "func.return"(%0) : (f32) -> ()
    """,
    arguments="%arg0: index, %arg1: f32",
    results="f32",
)


def test_a_loop_is_replaced_by_one_iteration() -> None:
    assert (
        body_of(apply_to(UnwrapBodies(ABI), LOOP))
        == """\
^bb0(%arg0: index, %arg1: f32):
  %s0 = "t.load"(%arg0) : (index) -> f32
  %s1 = "t.add"(%arg1, %s0) : (f32, f32) -> f32
"func.return"(%s1) : (f32) -> ()"""
    )


def test_values_without_a_matching_operand_become_arguments() -> None:
    text = LOOP.replace('"scf.for"(%arg0, %arg1)', '"scf.for"(%arg1)').replace(
        '(index, f32) -> f32\n    "func', '(f32) -> f32\n    "func'
    )
    after = body_of(apply_to(UnwrapBodies(ABI), text))
    assert after.startswith("^bb0(%arg0: index, %arg1: f32, %s0: index):")
    assert '"t.load"(%s0)' in after


def test_one_branch_or_the_other() -> None:
    text = function(
        """
        %0 = "scf.if"(%arg0) ({
          %1 = "t.then"() : () -> f32
          "scf.yield"(%1) : (f32) -> ()
        }, {
          %1 = "t.else"() : () -> f32
          "scf.yield"(%1) : (f32) -> ()
        }) : (i1) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: i1",
        results="f32",
    )
    taken, other = (apply_to(UnwrapBodies(ABI), text, n) for n in (0, 1))
    assert "t.then" in taken and "t.else" not in taken
    assert "t.else" in other and "t.then" not in other


def test_a_body_with_other_result_types_stays() -> None:
    text = LOOP.replace('-> f32\n    "func', '-> i32\n    "func')
    assert UnwrapBodies(ABI).sites(Module.parse(text)) == []


def test_consecutive_bodies() -> None:
    text = function(
        """
        %0 = "t.once"(%arg0) ({
        ^bb0(%arg1: f32):
          %1 = "t.exp"(%arg1) : (f32) -> f32
          "t.yield"(%1) : (f32) -> ()
        }) : (f32) -> f32
        %2 = "t.once"(%0) ({
        ^bb0(%arg1: f32):
          %1 = "t.neg"(%arg1) : (f32) -> f32
          "t.yield"(%1) : (f32) -> ()
        }) : (f32) -> f32
        "func.return"(%2) : (f32) -> ()
        """,
        arguments="%arg0: f32",
        results="f32",
    )
    assert (
        body_of(apply_to(UnwrapBodies(ABI), text))
        == """\
^bb0(%arg0: f32):
  %s0 = "t.exp"(%arg0) : (f32) -> f32
  %s1 = "t.neg"(%s0) : (f32) -> f32
"func.return"(%s1) : (f32) -> ()"""
    )


def test_a_loop_in_a_called_function_whose_bounds_take_the_place_of_its_counter() -> None:
    """Only a new argument would change the type of the function."""
    call = """
  "func.func"() <{function_type = () -> (), sym_name = "g"}> ({
    "func.call"() {callee = @f} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    loop = function(
        """
        %0 = "t.bound"() : () -> index
        "scf.for"(%0) ({
        ^bb0(%1: index):
          "t.use"(%1) : (index) -> ()
          "scf.yield"() : () -> ()
        }) : (index) -> ()
        "func.return"() : () -> ()
        """
    )
    text = loop.rpartition("}) : () -> ()")[0].rstrip() + call
    assert '"t.use"(%0)' in body_of(apply_to(UnwrapBodies(ABI), text))
    other = text.replace("%1: index", "%1: i32").replace(
        '(index) -> ()\n      "scf', '(i32) -> ()\n      "scf'
    )
    assert UnwrapBodies(ABI).sites(Module.parse(other)) == []


def test_a_body_without_a_terminator() -> None:
    """The loop inside is no terminator, nor is an op that makes a value."""
    text = function(
        """
        "t.concurrent"() ({
          "t.loop"(%arg0) ({
          ^bb0(%0: index):
            "t.use"(%0) : (index) -> ()
            %1 = "t.sum"() : () -> f32
          }) : (index) -> ()
        }) : () -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: index",
    )
    assert '\n  "t.loop"(%arg0) ({' in body_of(apply_to(UnwrapBodies(ABI), text, 0))
    inner = body_of(apply_to(UnwrapBodies(ABI), text, 1))
    assert '"t.use"(%arg0)' in inner
    assert '"t.sum"' in inner


def test_the_terminator_of_a_body_may_have_regions() -> None:
    """As `scf.reduce`; but the last op may also be a loop in a body without a terminator."""
    text = function(
        """
        %0 = "scf.parallel"(%arg0, %arg1) ({
        ^bb0(%1: index):
          %2 = "t.load"(%1) : (index) -> f32
          "scf.reduce"(%2) ({
          ^bb0(%3: f32, %4: f32):
            "scf.reduce.return"(%3) : (f32) -> ()
          }) : (f32) -> ()
        }) : (index, f32) -> f32
        "t.each"(%arg0) ({
        ^bb0(%5: index):
          "t.store"(%5) : (index) -> ()
          "t.last"() ({
            "t.end"() : () -> ()
          }) : () -> ()
        }) : (index) -> ()
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: index, %arg1: f32",
        results="f32",
    )
    module = Module.parse(text)
    sites = UnwrapBodies(ABI).sites(module)
    assert [(module.t.name[site.op], site.name) for site in sites] == [
        ("scf.parallel", ""),
        ("t.each", WHOLE),
        ("t.each", ""),
    ]
    for chosen in ((), (0, 2)):  # the last op is more often the terminator
        after = body_of(apply_to(UnwrapBodies(ABI), text, *chosen))
        assert (
            after
            == """\
^bb0(%arg0: index, %arg1: f32):
  %s0 = "t.load"(%arg0) : (index) -> f32
  "t.store"(%arg0) : (index) -> ()
"func.return"(%s0) : (f32) -> ()"""
        )
    assert '\n  "t.last"() ({' in body_of(apply_to(UnwrapBodies(ABI), text, 1))


def test_many_levels_go_together() -> None:
    """Arguments come from the outside in, results from the inside out."""
    levels = 20
    lines = [
        f'%r{n} = "t.r"(%{"arg0" if n == 0 else f"s{n - 1}"}) ({{\n^bb0(%b{n}: i32):\n'
        f'%s{n} = "t.s"(%b{n}) : (i32) -> i32'
        for n in range(levels)
    ]
    ends = [
        f'"t.y"(%{f"r{n + 1}" if n + 1 < levels else f"s{n}"}) : (i32) -> ()\n}}) : (i32) -> i32'
        for n in reversed(range(levels))
    ]
    end = '"func.return"(%r0) : (i32) -> ()'
    text = function("\n".join((*lines, *ends, end)), arguments="%arg0: i32", results="i32")
    module = Module.parse(apply_to(UnwrapBodies(ABI), text))
    ops = [op for op, name in enumerate(module.t.name) if name == "t.s"]
    assert len(module) == levels + 3 and len(ops) == levels
    made = [module.t.first_result[op] for op in ops]
    (returned,) = module.t.operands[-1]
    assert [module.t.operands[op][0] for op in ops[1:]] == made[:-1]
    assert returned == made[-1]
