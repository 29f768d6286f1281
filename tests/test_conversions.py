"""Generic form and back, with a real compiler."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles import Limits
from reducer.conversions import CompilerPasses, Conversions, OptPrinter
from reducer.ir import Module
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED, WHEELS
from tests.support.corpus import Case, cases
from tests.support.printing import printed

PRETTY = """\
module {
  func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
"""


@pytest.fixture
def normaliser(iree_toolchain: Callable[..., Toolchain]) -> OptPrinter:
    return OptPrinter(iree_toolchain().opt, Limits(120.0))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes that hang compute all the time, so that waiting for them is not free."""
    monkeypatch.setattr("reducer.conversions._PASS_SECONDS", 0.2)


@pytest.mark.iree
def test_there_and_back(normaliser: OptPrinter) -> None:
    generic = normaliser.generic(PRETTY)
    assert generic is not None
    assert Module.parse(generic).t.name == ["builtin.module", "func.func", "func.return"]
    assert normaliser.pretty(generic) == PRETTY
    assert normaliser.cost.cpu_seconds > 0


@pytest.mark.iree
def test_a_driver_may_only_print_to_standard_output(normaliser: OptPrinter, tmp_path: Path) -> None:
    """`-o FILE` names what it compiles to, and what it prints may be large."""
    driver = tmp_path / "driver"
    driver.write_text(
        f'#!/bin/sh\nfor word; do case $word in *out*) exit 0;; esac; done\n{normaliser.opt} "$@"\n'
    )
    driver.chmod(0o755)
    printer = OptPrinter(driver, normaliser.limits)
    assert printer.generic(PRETTY) == normaliser.generic(PRETTY)
    large = PRETTY.replace(
        "    return", '    "t.t"() {s = "' + "a" * (5 << 20) + '"} : () -> ()\n    return'
    )
    assert len(printer.generic(large) or "") > 5 << 20
    assert printer.generic("no program") is None
    driver.write_text("#!/bin/sh\necho 'usage: driver [OPTION] FILE'\n")
    assert printer.generic(PRETTY) is None


@pytest.mark.iree
def test_invalid_ir_has_a_pretty_form(
    normaliser: OptPrinter, corpus: Callable[[str], Case]
) -> None:
    text = corpus("batch-matmul-20548").input_text()
    generic = normaliser.generic(text)
    assert generic is not None
    pretty = normaliser.pretty(generic)
    assert pretty is not None
    assert "linalg.batch_matmul ins(" in pretty


@pytest.mark.iree
def test_what_does_not_parse_has_no_generic_form(normaliser: OptPrinter) -> None:
    assert normaliser.generic("func.func @f( {") is None


@pytest.mark.iree
def test_a_tool_that_cannot_leave_its_verifier_out_is_asked_with_it(
    normaliser: OptPrinter, tmp_path: Path
) -> None:
    old = tmp_path / "old-opt"
    old.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--mlir-very-unsafe-disable-verifier-on-parsing*)\n'
        '  echo "old-opt: Unknown command line argument'
        " '--mlir-very-unsafe-disable-verifier-on-parsing'.  Try: 'old-opt --help'\" >&2\n"
        "  exit 1;; esac\n"
        f"exec '{normaliser.opt}' \"$@\"\n"
    )
    old.chmod(0o755)
    asked = OptPrinter(old, Limits(120.0))
    assert asked.generic(PRETTY) == normaliser.generic(PRETTY)
    assert asked.pretty(PRETTY) == PRETTY


@pytest.mark.iree
def test_locations_point_into_the_input(normaliser: OptPrinter) -> None:
    located = normaliser.generic_with_locations(PRETTY)
    assert located is not None
    assert ":3:5)" in located


LARGE = "plant_unsorted61", "ds_real61_both_dyn", "hf_ds_real61", "ds_real61_dyn", "st_toy_llama"


def corpus_cases() -> Iterator[object]:
    """All cases; some are large, or only readable by other releases."""
    for case in cases():
        readable = case.runs and case.runs[0].wheel == NEWEST_TESTED
        marks = [] if readable and case.name not in LARGE else [pytest.mark.slow]
        yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.iree
@pytest.mark.parametrize("case", list(corpus_cases()))
def test_parse_and_print_is_the_identity_on_the_corpus(
    case: Case, iree_toolchain: Callable[..., Toolchain], normaliser: OptPrinter
) -> None:
    text = case.input_text()
    generic = normaliser.generic(text)
    for wheel in () if generic else reversed(WHEELS):  # syntax of another release
        generic = generic or OptPrinter(iree_toolchain(wheel).opt, Limits(120.0)).generic(text)
    assert generic is not None
    assert printed(Module.parse(generic)) == generic


BEFORE = """\
func.func private @callee(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @main(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  %1 = call @callee(%0) : (i32) -> i32
  return %1 : i32
}
"""


@pytest.mark.iree
def test_calls_are_inlined_and_folds_happen(iree_toolchain: Callable[..., Toolchain]) -> None:
    normaliser = OptPrinter(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(normaliser.generic(BEFORE) or "")
    passes = CompilerPasses(normaliser.after_passes)
    after = passes.apply(module, passes.sites(module))
    assert after is not None
    names = Module.parse(after).t.name
    assert names == ["builtin.module", "func.func", "arith.muli", "func.return"]


@pytest.mark.iree
def test_what_the_tool_cannot_read_is_no_candidate(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    normaliser = OptPrinter(iree_toolchain().opt, Limits(60.0))
    broken = Module.parse('"t.op"(%0) : (i32) -> ()\n')
    passes = CompilerPasses(normaliser.after_passes)
    assert passes.apply(broken, passes.sites(broken)) is None


ONE_FUNCTION = """\
func.func @main(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  return %0 : i32
}
"""


@pytest.mark.iree
def test_nothing_is_inlined_into_the_only_function(normaliser: OptPrinter) -> None:
    passes = CompilerPasses(normaliser.after_passes)
    module, with_a_call = (
        Module.parse(normaliser.generic(t) or "") for t in (ONE_FUNCTION, BEFORE)
    )
    names = [[site.name for site in passes.sites(each)] for each in (module, with_a_call)]
    assert names == [
        ["canonicalize,cse,symbol-dce"],
        ["inline,symbol-dce", "canonicalize,cse,symbol-dce"],
    ]


class Recorded(OptPrinter):
    """Notes on which threads passes are run."""

    def __init__(self, opt: Path, limits: Limits) -> None:
        super().__init__(opt, limits)
        self.threads: list[str] = []

    def another(self) -> OptPrinter:
        other = Recorded(self.opt, self.limits)
        other.threads = self.threads
        return other

    def after_passes(self, pipeline: str, text: str) -> str | None:
        self.threads.append(threading.current_thread().name.partition("_")[0])
        return super().after_passes(pipeline, text)


@pytest.mark.iree
@pytest.mark.parametrize(("jobs", "threads"), [(1, ["MainThread"] * 2), (2, ["opt"] * 2)])
def test_idle_threads_run_what_will_be_asked_next(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, jobs: int, threads: list[str]
) -> None:
    """The result is the same, and so is the time that it is said to have taken."""
    printer = Recorded(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(printer.generic(BEFORE) or "")
    before = printer.cost.cpu_seconds
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        conversions = Conversions(printer, journal, print, jobs)
        passes = CompilerPasses(conversions.after_passes, conversions.prepare)
        inline, canonicalize = passes.sites(module)
        made = [passes.apply(module, [site]) for site in (canonicalize, inline)]
        conversions.close()
    assert printer.threads == threads, "both, from the last to the first"
    assert conversions.cost.cpu_seconds > before
    assert [text and Module.parse(text).op_count for text in made] == [6, 3]


@pytest.mark.iree
def test_nothing_is_run_that_will_not_be_asked_next(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Neither passes that come before in the list, nor several at once on long texts."""
    printer = Recorded(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(printer.generic(BEFORE) or "")
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        conversions = Conversions(printer, journal, print, jobs=2)
        passes = CompilerPasses(conversions.after_passes, conversions.prepare)
        conversions.prepare(["builtin.module(cse)"], f"{module.text}//{' ' * (1 << 20)}\n")
        passes.apply(module, passes.sites(module)[:1])
        conversions.close()
    assert printer.threads == ["opt"]


@pytest.mark.iree
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pass_that_hangs_is_not_run_on_another_text(
    impatient: None,
    iree_toolchain: Callable[..., Toolchain],
    corpus: Callable[[str], Case],
    tmp_path: Path,
    jobs: int,
) -> None:
    printer = Recorded(iree_toolchain().opt, Limits(60.0))
    hangs = printer.generic(corpus("canonicalizer-loop-hang").input_text())
    assert hangs is not None
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        conversions = Conversions(printer, journal, print, jobs)
        conversions.prepare(["builtin.module(canonicalize)"], hangs)
        texts = (hangs, printer.generic(PRETTY) or "")
        made = [conversions.after_passes("builtin.module(canonicalize)", text) for text in texts]
        conversions.close()
    assert made == [None, None]
    assert len(printer.threads) == 1
    assert conversions.cost.cpu_seconds < 10, "not for as long as a conversion may take"


GENERIC = """\
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.subf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.iree
def test_a_generic_op_becomes_a_named_one(iree_toolchain: Callable[..., Toolchain]) -> None:
    normaliser = OptPrinter(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(normaliser.generic(GENERIC) or "")
    passes = CompilerPasses(normaliser.after_passes)
    site = next(s for s in passes.sites(module) if "specialize" in s.name)
    after = passes.apply(module, [site])
    assert after is not None
    assert "linalg.generic" not in after
    assert Module.parse(after).op_count < module.op_count


AS_PRINTED = """\
// RUN: toy-opt %s
"builtin.module"() ({
  "toy.func"() <{sym_name = "f"}> ({
  ^bb0(%a: !toy.ty<"x">):

    %0 = "toy.op"(%a) : (!toy.ty<"x">) -> i32
    "toy.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (AS_PRINTED, ["builtin.module", "toy.func", "toy.op", "toy.return"]),
        (PRETTY, None),
        ("some words, for a script\n", None),
        ("// nothing\n", None),
    ],
)
def test_without_a_tool_generic_form_is_read_as_it_is(
    tmp_path: Path, text: str, names: list[str] | None
) -> None:
    """No tool knows the dialects of a compiler that is a library."""
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        module = Conversions(None, journal, print).module(text)
    assert (module and module.t.name) == names


def test_deep_levels_are_not_indented_ever_more(tmp_path: Path) -> None:
    """Else the text would grow with the square of the depth."""
    levels = 400
    nested = [" " * level + '"t.r"() ({\n' for level in range(levels)]
    ends = [" " * level + "}) : () -> ()\n" for level in reversed(range(levels))]
    tool = tmp_path / "x-opt"
    tool.write_text('#!/bin/sh\ncat "$1"\n')
    tool.chmod(0o755)
    printed = OptPrinter(tool, Limits()).generic("".join(nested + ends))
    assert printed is not None
    assert max(len(line) - len(line.lstrip()) for line in printed.splitlines()) == 64
    assert len(Module.parse(printed)) == levels
