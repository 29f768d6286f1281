"""What is a function: recognized by form, in any dialect."""

from reducer.ir import Module
from reducer.ir.functions import Functions

EXECUTABLE = """\
"builtin.module"() ({
  "x.executable"() <{sym_name = "executable"}> ({
    "x.variant"() <{sym_name = "variant"}> ({EXPORT
      "builtin.module"() ({
        "func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
        ^bb0(%0: i32):
          "func.return"(%0) : (i32) -> ()
        }) : () -> ()
      }) : () -> ()
    }) : () -> ()
  }) : () -> ()
  "x.graph"() <{sym_name = "graph"}> ({
    %1 = "x.node"() : () -> i32
    "x.output"(%1) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def names(text: str) -> tuple[set[str], set[str]]:
    """The functions of a module, and what is around them."""
    module = Module.parse(text)
    found = Functions.of(module)
    all_, around = ({module.t.name[op] for op in ops} for ops in (found.all, found.around))
    return all_, around


def test_what_has_a_type_or_only_a_name_is_a_function() -> None:
    text = EXECUTABLE.replace("EXPORT", '\n      "x.export"() <{sym_name = "f"}> : () -> ()')
    assert names(text) == (
        {"func.func", "x.graph"},
        {"builtin.module", "x.executable", "x.variant"},
    )


def test_what_contains_a_function_is_none_when_its_only_other_symbol_is_gone() -> None:
    """Without its export, the variant of an executable has only a module without a name."""
    text = EXECUTABLE.replace("EXPORT", "")
    assert names(text) == (
        {"func.func", "x.graph"},
        {"builtin.module", "x.executable", "x.variant"},
    )
