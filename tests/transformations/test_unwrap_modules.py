"""Replacing modules inside modules by what they contain."""

from reducer.ir import Module
from reducer.transformations.unwrap_modules import UnwrapModules

FUNCTION = """\
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()"""
NESTED = f"""\
"builtin.module"() ({{
  "builtin.module"() <{{sym_name = "inner"}}> ({{
    {FUNCTION}
  }}) : () -> ()
}}) : () -> ()
"""


def unwrapped(text: str, *names: str) -> list[str] | None:
    """The lines without their indentation, which stays as it was; `names` selects sites."""
    module = Module.parse(text)
    transformation = UnwrapModules()
    sites = [site for site in transformation.sites(module) if not names or site.name in names]
    after = transformation.apply(module, sites) if sites else None
    return None if after is None else [line.strip() for line in after.splitlines()]


def test_a_module_in_a_module_is_replaced_by_its_functions() -> None:
    assert unwrapped(NESTED) == [
        '"builtin.module"() ({',
        *(line.strip() for line in FUNCTION.splitlines()),
        "}) : () -> ()",
    ]


def test_modules_in_each_other_go_one_by_one() -> None:
    inner = f'"builtin.module"() ({{\n    {FUNCTION}\n    }}) : () -> ()'
    once = unwrapped(NESTED.replace(FUNCTION, inner), "")
    assert once is not None
    assert once.count('"builtin.module"() ({') == 2
    again = unwrapped("\n".join(once), "")
    assert again is not None
    assert again.count('"builtin.module"() ({') == 1
    assert unwrapped("\n".join(again)) is None, "the outermost one stays"


def test_modules_that_are_valid_in_each_other_only_go_together() -> None:
    """An executable holds nothing but variants, which nothing else holds."""
    nested = f"""\
"builtin.module"() ({{
  "a.executable"() <{{sym_name = "x"}}> ({{
    "a.variant"() <{{sym_name = "v"}}> ({{
      {FUNCTION}
    }}) : () -> ()
    "a.variant"() <{{sym_name = "w"}}> ({{
      "a.global"() <{{sym_name = "g"}}> : () -> ()
      "a.note"() ({{
        "a.op"() : () -> ()
      }}) : () -> ()
      "a.variant_end"() : () -> ()
    }}) : () -> ()
    "a.executable_end"() : () -> ()
  }}) : () -> ()
}}) : () -> ()
"""
    lines = unwrapped(nested)
    assert lines is not None
    assert [line for line in lines if line.startswith('"')] == [
        '"builtin.module"() ({',
        '"func.func"() <{function_type = () -> (), sym_name = "f"}> ({',
        '"func.return"() : () -> ()',
        '"a.global"() <{sym_name = "g"}> : () -> ()',
        '"a.note"() ({',
        '"a.op"() : () -> ()',
    ]


def test_what_holds_other_ops_than_symbols_stays() -> None:
    assert unwrapped(NESTED.replace(FUNCTION, '"t.op"() : () -> ()')) is None
