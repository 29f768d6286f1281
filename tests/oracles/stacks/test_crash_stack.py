"""A crash is known by the functions at fault, whoever printed its stack.

LLVM, GCC, Julia and debuggers print frames in their own ways. Functions without names are known by
where they begin.

This file: what identifies a bug in a crash stack.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles.stacks.crash_stack import CrashStack, crash_stack, is_cut
from oracles.stacks.dispatching import distinctive
from oracles.stacks.frames import Resolver, is_offset, name_frames, parse_stack
from oracles.stacks.symbols import load_index

DATA = Path(__file__).parents[1] / "data"


def _none(module: str) -> None:
    """No symbols."""


def crash_frames(stack: str, resolver: Resolver, *, says_why: bool = True) -> tuple[str, ...]:
    parsed = parse_stack(stack)
    return crash_stack(parsed, name_frames(parsed, resolver), says_why=says_why).frames


def crash_of(*functions: str) -> CrashStack:
    """What is left of a stack that a crash without a message prints."""
    lines = (f" #{index} 0x{index:04x} {function}" for index, function in enumerate(functions))
    parsed = parse_stack("\n".join(lines))
    return crash_stack(parsed, name_frames(parsed, _none), says_why=False)


def text(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def test_symbolized_stack() -> None:
    assert crash_frames(text("complex-dot2-hip-segv"), lambda module: None)[:2] == (
        "mlir::iree_compiler::getCopyTileSizes",
        "mlir::iree_compiler::TileLinalgCopy::matchAndRewrite",
    )


def test_a_stack_may_begin_where_it_crashed() -> None:
    """A sanitizer prints no handler, and neither does Windows, whatever names are known."""
    stack = " #0 0x11 (/b/tool{0}+0x11)\n #1 0x22 (/b/tool{0}+0x22)\n #2 0x1 (/lib/libc.so.6+0x1)\n"
    offsets = ("tool+0x11", "tool+0x22")
    for last in ("", "".join(f" #{at} 0x{at}9 (/b/tool+0x{at}9)\n" for at in range(3, 20))):
        parsed = parse_stack(stack.format("") + last)
        names = name_frames(parsed, _none)
        assert crash_stack(parsed, names, says_why=True, handled=False).frames[:2] == offsets
        assert crash_stack(parsed, names, says_why=True).frames[:2] != offsets
    windows = parse_stack(stack.format(".exe"))
    found = crash_stack(windows, name_frames(windows, _none), says_why=False).frames
    assert found == ("tool.exe+0x11", "tool.exe+0x22")


def test_accessors_alone_do_not_describe_a_crash() -> None:
    """Only `mlir::FloatType::getWidth` and `mlir::Type::getIntOrFloatBitWidth` are exported."""
    found = crash_frames(text("exported-names-3.8.0"), lambda module: None)
    assert found[0] == "libIREECompiler.so+0x1ed467e" and all(map(is_offset, found))


def test_an_accessor_is_no_origin_of_a_crash() -> None:
    """What asked a null value for its op has no name, and is beyond a driver."""
    found = crash_of(
        "llvm::sys::PrintStackTrace() (/lib/libM.so+0x1)",
        "(/lib/libc.so.6+0x2)",
        "mlir::Value::getDefiningOp() const (/lib/libM.so+0x3)",
        "mlir::applyPatternsGreedily() (/lib/libM.so+0x4)",
        "(/lib/libM.so+0x400005)",
        "mlir::detail::OpToOpPassAdaptor::run() (/lib/libM.so+0x6)",
    )
    assert found.origin == "libM.so+0x400005"
    assert found.top == ("mlir::Value::getDefiningOp", "libM.so+0x400005")


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        (["mlir::Type::getContext", "mlir::TypeAttr::get", "a::f", "a::g"], ("a::f", "a::g")),
        (
            ["mlir::Operation::getAttr", "llvm::StringRef::find", "a::f"],
            ("mlir::Operation::getAttr", "a::f"),
        ),
        (["a::f", "mlir::Type::getContext"], ("a::f",)),
        (
            ["mlir::a::XOp::infer", "mlir::a::XOp::build", "mlir::a::XOp::create", "a::f"],
            ("mlir::a::XOp::infer", "a::f"),
        ),
        (["mlir::a::XOp::build", "a::f"], ("mlir::a::XOp::build", "a::f")),
        (
            ["mlir::spirv::PointerType::get", "mlir::TypeAttr::get", "a::f"],
            ("mlir::spirv::PointerType::get", "a::f"),
        ),
        (
            ["mlir::convertType", "mlir::TypeConverterX::f"],
            ("mlir::convertType", "mlir::TypeConverterX::f"),
        ),
    ],
)
def test_accessors_give_way_to_what_calls_them(stack: list[str], expected: tuple[str, ...]) -> None:
    assert distinctive(stack) == expected


GDB = """\
Thread 1 "python" received signal SIGSEGV, Segmentation fault.
0x00007ffff045e908 in mlir::IntegerAttr::getValue() const () from /opt/my lib/libA.so
#0  0x00007ffff045e908 in mlir::IntegerAttr::getValue() const () from /opt/lib/libA.so
#1  0x00007ffff220bc08 in mlir::m::CastOp::build(mlir::OpBuilder&, int) () from /opt/lib/libA.so
#2  0x00007ffff2262803 in (anonymous namespace)::Fold<mlir::m::Op, &f>::matchAndRewrite(int) const () from /opt/lib/libA.so
#3  0x00007ffff42dc3e2 in mlir::PatternApplicator::matchAndRewrite() () from /opt/lib/libA.so
#4  0x00007ffff225a64a in (anonymous namespace)::FoldPass::runOnOperation() () from /opt/lib/libA.so
#5  0x00007ffff03de071 in mlir::detail::OpToOpPassAdaptor::run() () from /opt/lib/libA.so
#6  0x00007ffff71395be in ?? () from /opt/lib/libB.so
#7  0x00007ffff7ba6ce3 in call (f=0x7ffff, args=<optimized out>) at Objects/a.c:542
#8  outer (f=0x7ffff) at Objects/a.c:600
#9  0x0000555555555081 in _start ()
"""  # noqa: E501


def test_a_stack_of_gdb() -> None:
    parsed = parse_stack(GDB)
    assert [frame.module for frame in parsed[-3:]] == ["libB.so", "", ""]
    assert [frame.name for frame in parsed[-3:]] == ["", "outer", "_start"]
    names = name_frames(parsed, _none)
    assert crash_stack(parsed, names, says_why=False).top == (
        "Fold::matchAndRewrite",
        "FoldPass::runOnOperation",
    )


def test_raw_addresses_alone_give_distances_that_no_load_address_changes() -> None:
    stack = text("raw-addresses-3.13.0")
    found = crash_frames(stack, lambda module: None)
    assert found[:2] == ("libIREECompiler.so+0x1eb6a65", "libIREECompiler.so+0x1eb3621")
    moved = stack.replace("0x00007efd", "0x00007abc")
    assert crash_frames(moved, lambda module: None) == found


def test_a_stack_without_a_signal_handler_has_no_distances() -> None:
    assert crash_frames("0  a.so 0x0000000000001000\n1  a.so 0x0000000000002000\n", _none) == ()


def test_an_inlined_function_is_folded_into_its_caller() -> None:
    """`f` was inlined into `g`: a build without debug information shows only `g`."""
    inlined = " #0 0x01 f() /a.h:1:2\n #1 0x01 g() /a.cpp:3:4\n #2 0x02 h() /a.cpp:5:6\n"
    plain = " #0 0x01 g() (/lib/x.so+0x1)\n #1 0x02 h() (/lib/x.so+0x2)\n"
    assert crash_frames(inlined, _none) == crash_frames(plain, _none) == ("g", "h")


def test_the_dump_of_another_thread_in_between_is_skipped() -> None:
    stack = " #0 0x01 a()\n #1 0x02 b()\n #0 0x11 x()\n #2 0x03 c()\n #1 0x12 y()\n"
    assert crash_frames(stack, _none) == ("a", "b", "c")


@pytest.mark.parametrize(
    "line",
    [
        "3  libsystem_platform.dylib 0x000000019ffcea24 _sigtramp + 56",
        " #3 0x00000001b0a454c4 (/usr/lib/system/libsystem_platform.dylib+0x1803414c4)",
        " #3 0x00007f46b58a99fc __pthread_kill_implementation ./nptl/./nptl/pthread_kill.c:44:76",
        " #3 0x00007f0000000000 raise ./signal/../sysdeps/posix/raise.c:27:6",
    ],
)
def test_frames_of_the_system(line: str) -> None:
    below = "\n #4 0x0000000000000001 f() (/b/x+0x1)\n"
    head = "".join(f" #{n} 0x{n + 50:016x} SignalHandler(int) (/b/x+0x1)\n" for n in range(3))
    assert crash_frames(head + line + below, _none) == ("f",)


@pytest.mark.iree
def test_raw_addresses_and_names_give_the_same_frames(iree_toolchain: Callable[..., Any]) -> None:
    """One crash, recorded with and without a symbolizer, possibly at another load address."""
    folder = iree_toolchain("3.13.0").compile.resolve().parent
    raw = crash_frames(text("raw-addresses-3.13.0"), lambda module: load_index(folder / module))
    assert raw == crash_frames(text("matmul-k0-sigfpe"), lambda module: None)
    assert raw[0] == "mlir::iree_compiler::IREE::Flow::summarizeDispatchRegion"


HANDLER = """\
0  libA.so   0x00007f69{a}0a0ab
1  libA.so   0x00007f69{a}071fe
2  libA.so   0x00007f69{a}0ac10
3  libc.so.6 0x00007f695ce5a050
"""


def test_every_library_has_its_offsets() -> None:
    """In a library without the stack printer, the offset in a page is all that is certain."""
    stack = HANDLER + "4  libB.so   0x00007f11{b}01234\n5  libB.so   0x00007f11{b}03456\n"
    stack += "6  libA.so   0x00007f69{a}0b0ab\n"
    found = crash_frames(stack.format(a="20", b="30"), _none)
    assert found == ("libB.so+0x234", "libB.so+0x2456", "libA.so+0x1000")
    assert crash_frames(stack.format(a="21", b="9a"), _none) == found
    assert crash_frames(stack.replace("01234", "01238").format(a="20", b="30"), _none) != found


DRIVEN = """\
 #0 0x00007f692000a0ab llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/b/libA.so+0xa0ab)
 #1 0x00007f69200071fe llvm::sys::RunSignalHandlers() (/b/libA.so+0x71fe)
 #2 0x00007f692000ac10 SignalHandler(int, siginfo_t*, void*) Signals.cpp:0:0
 #3 0x00007f695ce5a050 (/lib/libc.so.6+0x3c050)
 #4 0x00007f692000b0ab mlir::Operation::fold(llvm::ArrayRef<int>) (/b/libA.so+0xb0ab)
 #5 0x00007f692000c0ab mlir::applyPatternsGreedily(mlir::Region&) (/b/libA.so+0xc0ab)
 #6 0x00007f692000d0ab (anonymous namespace)::Canonicalizer::runOnOperation() C.cpp:0:0
 #7 0x00007f692000e0ab mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*) (/b/libA.so+0xe0ab)
"""


WORKER = " #8 0x00007f692000f0ab llvm::StdThreadPool::processTasks() (/b/libA.so+0xf0ab)\n"


MAIN = """\
 #8 0x00007f692000f1ab mlir::PassManager::run(mlir::Operation*) (/b/libA.so+0xf1ab)
 #9 0x00007f692000f2ab main (/b/libA.so+0xf2ab)
"""


@pytest.mark.parametrize("below", [WORKER, MAIN])
def test_a_crash_in_drivers_alone_is_told_by_its_offsets(below: str) -> None:
    """A message says more than offsets, which differ in every build."""
    offsets = ("libA.so+0xb0ab", "libA.so+0xc0ab")
    assert crash_frames(DRIVEN + below, _none, says_why=False) == offsets
    assert crash_frames(DRIVEN + below, _none) == ("Canonicalizer::runOnOperation",)


def test_what_a_driver_calls_is_told_by_its_name() -> None:
    called = DRIVEN.replace("mlir::Operation::fold(", "a::Op::fold(")
    found = crash_frames(called, _none, says_why=False)
    assert found == ("a::Op::fold", "Canonicalizer::runOnOperation")
    own = DRIVEN.replace("mlir::Operation::fold(", "llvm::cast_or_null(")
    own = own.replace("mlir::applyPatternsGreedily", "llvm::SmallVectorBase::grow")
    assert crash_frames(own, _none, says_why=False) == ("Canonicalizer::runOnOperation",)


def test_frames_without_a_name_count_before_those_that_dispatch() -> None:
    """A plugin without symbols, called by a driver."""
    plugin = " #4 0x00007f112000b123 (/b/libB.so+0xb123)\n"
    driver = " #5 0x00007f692000b0ab mlir::Operation::fold(int) (/b/libA.so+0xb0ab)\n"
    handler = "".join(DRIVEN.splitlines(keepends=True)[:4])
    assert crash_frames(handler + plugin + driver, _none) == ("libB.so+0xb123",)


GLIBC = """\
/lib/x86_64-linux-gnu/libLLVM-14.so.1(_ZN4llvm3sys15PrintStackTraceERNS_11raw_ostreamEi+0x31)[0x7fc4294a5291]
/lib/x86_64-linux-gnu/libLLVM-14.so.1(_ZN4llvm3sys17RunSignalHandlersEv+0xee)[0x7fc4294a2fbe]
/lib/x86_64-linux-gnu/libLLVM-14.so.1(+0xea57c6)[0x7fc4294a57c6]
/lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7fc42805a050]
%s/lib/x86_64-linux-gnu/libLLVM-14.so.1(+0xe428cb)[0x7fc4294428cb]
/lib/x86_64-linux-gnu/libc.so.6(+0x891f5)[0x7fc4280a71f5]
"""


"""The stack of mlir-opt 14.0.6 without a symbolizer, with its own frames left out."""


def test_glibc_prints_offsets_or_fixed_addresses() -> None:
    fixed = "mlir-opt-14[0x44644e]\nmlir-opt-14[0x710982]\n"
    assert crash_frames(GLIBC % fixed, _none, says_why=False)[:2] == (
        "mlir-opt-14+0x44644e",
        "mlir-opt-14+0x710982",
    )
    moved = "./toy-opt(+0x4464)[0x55d0c0c4464e]\n./toy-opt(_ZN3toy3runEv+0x1)[0x55d0c0c44700]\n"
    assert crash_frames(GLIBC % moved, _none)[:2] == ("toy-opt+0x4464", "toy::run")


def test_without_any_name_the_outermost_frame_is_that_of_a_thread() -> None:
    """Which of the two it is depends on how many functions there are, not on the bug."""
    own = "mlir-opt-14[0x1]\nmlir-opt-14[0x2]\nmlir-opt-14[0x3]\nmlir-opt-14[0x4]\n"
    pool = "libLLVM-14.so.1(_ZN4llvm10ThreadPool12processTasksEv+0x1)[0x7fc429440000]\n"
    for stack in (GLIBC % own, GLIBC % (own + pool)):
        parsed = parse_stack(stack)
        crash = crash_stack(parsed, name_frames(parsed, _none), says_why=False)
        assert crash.top == ("mlir-opt-14+0x1", "mlir-opt-14+0x2", "mlir-opt-14+0x3")


def test_the_library_of_c_plus_plus_is_the_systems() -> None:
    thrown = "libstdc++.so.6(+0x9d919)[0x7fc42909d919]\nmlir-opt-14[0x738c8a]\n"
    assert crash_frames(GLIBC % thrown, _none, says_why=False)[0] == "mlir-opt-14+0x738c8a"


def test_the_source_file_of_a_driver_is_not_where_a_pattern_is() -> None:
    """A pattern driver calls a pattern through a callback of its own, which has no name."""
    found = crash_of(
        "llvm::sys::PrintStackTrace() (/lib/libM.so+0x9000000)",
        "(/lib/libc.so.6+0x2)",
        "a::f() (/lib/libM.so+0x10)",
        "a::g() (/lib/libM.so+0x20)",
        "a::h() (/lib/libM.so+0x30)",
        "(/lib/libM.so+0x2ce6b26)",
        "(/lib/libM.so+0x61beea7)",
        "mlir::PatternApplicator::matchAndRewrite() (/lib/libM.so+0x61bc016)",
        "(/lib/libM.so+0x6400b5d)",
    )
    assert found.origin == "libM.so+0x2ce6b26"


def test_an_instance_of_a_template_says_nothing_about_its_source_file() -> None:
    """Patterns are in one source file with what is instantiated for them."""
    found = crash_of(
        "llvm::sys::PrintStackTrace() (/lib/libM.so+0x9000000)",
        "(/lib/libc.so.6+0x2)",
        "(/lib/libM.so+0x1579fae)",
        "bool mlir::ConversionPattern::dispatchTo1To1<a::P, a::Op>(a::P) (/lib/libM.so+0x1579475)",
    )
    assert found.origin == "libM.so+0x1579fae"


_CUT = """\
0  libIREECompiler.so 0x00007f450f24c998 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 40
1  libIREECompiler.so 0x00007f450f24a73e llvm::sys::RunSignalHandlers() + 238
2  libIREECompiler.so 0x00007f450f24d046
3  libc.so.6          0x00007f450985a050
4  libIREECompiler.so 0x00007f45171597a0
"""


"""A hang of iree-compile 3.4.0 that was interrupted in a jump to a function of the C++ library."""


_WHOLE = """\
5  libIREECompiler.so 0x00007f45171597b0 mlir::PassManager::run(mlir::Operation*) + 1531
6  libc.so.6          0x00007f45098452ca __libc_start_main + 133
7  iree-compile       0x00000000002016ae
"""


def test_a_stack_that_does_not_reach_the_start_is_cut() -> None:
    assert is_cut(parse_stack(_CUT))
    assert not is_cut(parse_stack(_CUT + _WHOLE))
    assert not is_cut(parse_stack(""))


DARWIN = """0  opt       0x01 llvm::sys::RunSignalHandlers() + 204
1  libsystem_platform.dylib 0x02 _sigtramp + 56
2  libsystem_c.dylib        0x03 abort + 148
3  libsystem_c.dylib        0x04 err + 0
"""


def test_a_call_that_never_returns_does_not_lend_the_next_function_its_place() -> None:
    """The return address of the last call in a function is in the function after it."""
    stacks = (
        f"{DARWIN}4  opt 0x0{place} {after} (.cold.4) + 0\n5  opt 0x09 a::Foo::run() + 20\n"
        for place, after in ((5, "llvm::yaml::Scanner::peekNext()"), (6, "a::other()"))
    )
    assert {crash_frames(stack, _none) for stack in stacks} == {("a::Foo::run",)}


def test_a_lambda_inlined_into_what_hands_it_to_threads_counts() -> None:
    each = "void mlir::parallelForEach<int*, {lambda}>(mlir::MLIRContext*, int*)"
    run, body = "a::FooPass::runOnOperation()", "a::FooPass::runOnOperation()::$_1"
    inlined = each.replace("{lambda}", body)
    expected = ("a::FooPass::runOnOperation",)
    handler = "SignalHandler(int) (/b/opt+0x1)", "abort (/lib/libc.so.6+0x2)"
    for below in (("llvm::StdThreadPool::work()",), (run, "mlir::PassManager::run()")):
        above = (f"{body}::operator()(int) const", inlined), (inlined,)
        for called in above:
            stack = [f"{name} (/b/opt+0x9)" for name in (*called, "std::f()", *below)]
            assert crash_of(*handler, *stack).frames == expected
    adaptor = each.replace("{lambda}", "mlir::detail::OpToOpPassAdaptor::run(int)::$_0")
    assert crash_of(*handler, "a::g()", adaptor, run).frames == ("a::g",)
