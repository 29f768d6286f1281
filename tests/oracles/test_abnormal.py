"""An oracle runs a program and says which failure that was.

Whatever the program does, its run ends in time and leaves nothing behind. One bug has one
signature, whatever the input is called and wherever it lies.

This file: the final message of a crashing compiler.
"""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.classify import classify
from oracles.signature.kind import Kind

CAST = 'isa<To>(Val) && "cast<Ty>() argument of incompatible type!"'
CAST_TO_FLOAT = CAST.replace("<To>", "<mlir::FloatType>")


@pytest.mark.parametrize(
    ("stderr", "template"),
    [
        (  # Clang
            "opt: /a/Casting.h:566: decltype(auto) llvm::cast(const From &) "
            f"[To = mlir::FloatType, From = mlir::Type]: Assertion `{CAST}' failed.\n",
            f"{CAST_TO_FLOAT} in llvm::cast [mlir::FloatType]",
        ),
        (  # before LLVM 15
            "opt: /a/Casting.h:269: typename cast_retty<X, Y>::ret_type llvm::cast(Y &) "
            "[X = mlir::FloatType, Y = mlir::Type]: Assertion "
            f"`{CAST.replace('<To>', '<X>')}' failed.\n",
            f"{CAST_TO_FLOAT} in llvm::cast [mlir::FloatType]",
        ),
        (  # GCC
            "opt: /b/Casting.h:572: decltype(auto) llvm::cast(const From&) "
            f"[with To = mlir::FloatType; From = mlir::Type]: Assertion `{CAST}' failed.\n",
            f"{CAST_TO_FLOAT} in llvm::cast [mlir::FloatType]",
        ),
        (  # macOS
            f"Assertion failed: ({CAST}), function cast, file Casting.h, line 578.\n",
            f"{CAST} in cast at Casting.h",
        ),
        (  # after what was printed on the line so far
            f"Testing : Assertion failed: ({CAST}), function cast, file Casting.h, line 578.\n",
            f"{CAST} in cast at Casting.h",
        ),
        ("Assertion failed: n > 0, file D:\\src\\a.cpp, line 3\n", "n > 0 at a.cpp"),
        ("Assertion failed: (n) && isa<T>(x), file a.cpp, line 3\n", "(n) && isa<T>(x) at a.cpp"),
        (  # of a lambda
            "Assertion failed: (n), function operator(), file a.cpp, line 3.\n",
            "n in operator() at a.cpp",
        ),
        (  # a lambda: Clang
            "opt: /a.cpp:3: auto (anonymous namespace)::P::run(Operation *)::(anonymous class)::"
            "operator()(Value) const: Assertion `x > 0' failed.\n",
            "x > 0 in P::run",
        ),
        (  # Google
            "assert.h assertion failed at a/b.cpp:1 in int a::R::release(int): refs.test(r & 3)\n",
            "refs.test(r & 3) in a::R::release",
        ),
        (  # Flang
            "\nfatal internal error: CHECK(!start.IsTop()) failed at /s/tools.cpp(80)\n",
            "!start.IsTop() at tools.cpp",
        ),
        ("unknown type\nUNREACHABLE executed at /a/B.cpp:7!\n", "unknown type at B.cpp"),
        (
            "a.mlir:1:1: error: other\nUNREACHABLE executed at /a/B.cpp:7!\n",
            "unreachable executed at B.cpp",
        ),
        ("    ^\nUNREACHABLE executed!\n", "unreachable executed"),
        (  # glog, Abseil
            "I0102 03:04:05.123 77 a.cc:1] fine\n"
            "F0102 03:04:05.123 77 xla/conv.cc:123] Check failed: a.size() == b (3 vs. 4) sizes\n",
            "Check failed: a.size() == b sizes at conv.cc",
        ),
        (  # TensorFlow
            "2026-01-02 03:04:05.123456: F xla/conv.cc:123] Check failed: ok\n",
            "Check failed: ok at conv.cc",
        ),
    ],
)
def test_assertions_of_all_compilers(stderr: str, template: str) -> None:
    words = abnormal_exit(stderr, -6)
    assert words is not None
    assert (words.kind, words.template) == (Kind.ASSERTION, template)


@pytest.mark.parametrize(
    ("code", "stderr", "kind", "template"),
    [
        (  # a driver
            70,
            "fatal error: error in backend: Cannot select: t3: f64 = fsin t2\n",
            Kind.FATAL_ERROR,
            "Cannot select: <type> = fsin",
        ),
        *(
            (-6, f"{words} vector\n", Kind.FATAL_ERROR, "std::out_of_range vector")
            for words in (  # of three runtime libraries
                "terminate called after throwing an instance of 'std::out_of_range'\n  what(): ",
                "libc++abi: terminating due to uncaught exception of type std::out_of_range:",
                "libc++abi.dylib: terminating with uncaught exception of type std::out_of_range:",
            )
        ),
        *(
            (-6, f"{words}no type for 3 values\n", Kind.FATAL_ERROR, "no type for N values")
            for words in (  # an error that nobody looks at
                "Program aborted due to an unhandled Error:\n",
                "Expected<T> must be checked before access.\n"
                "Unchecked Expected<T> contained error:\n",
                "\nfatal internal error: ",
            )
        ),
        (-6, "LLVM ERROR: no rule:\nranks\nStack dump:\n", Kind.FATAL_ERROR, "no rule: ranks"),
        (1, "IGC: Internal Compiler Error: Abnormal\nCommand was: a\n", None, "Abnormal"),
        (1, "Stack dump:\nException Code: 0xC0000005\n", None, "Exception Code: 0xC0000005"),
        (
            1,
            "/src/a.cpp:3:9: runtime error: shift exponent 77 is too large for 64-bit type 'long'\n"
            "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /src/a.cpp:3:9\n",
            Kind.CRASH,
            "UndefinedBehaviorSanitizer: shift exponent N is too large for N-bit type 'long' "
            "at a.cpp",
        ),
    ],
)
def test_other_last_words(code: int, stderr: str, kind: Kind | None, template: str | None) -> None:
    words = abnormal_exit(stderr, code)
    assert words is not None
    assert (kind or words.kind, template or words.template) == (words.kind, words.template)


def test_neither_an_orderly_end_nor_a_leak_has_last_words() -> None:
    assert abnormal_exit("a.mlir:1:1: error: no\n", 1) is None
    stderr = "SUMMARY: AddressSanitizer: 288 byte(s) leaked in 3 allocation(s).\n"
    assert abnormal_exit(stderr, 23) is None


def test_a_line_full_of_assertions_is_read_in_linear_time() -> None:
    """It took a minute."""
    for words in ("Assertion failed: ", "Assertion failed: x, function "):
        found = abnormal_exit(f"{words * 3000}\n", -6)
        assert found is not None and found.kind is Kind.CRASH


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("double free or corruption (out)\n", "double free"),
        ("*** Error in `opt': double free or corruption (!prev): 0x01f2 ***\n", "double free"),
        ("free(): invalid pointer\n", "free(): invalid pointer"),
        ("corrupted double-linked list\n", "corrupted double-linked list"),
        ("*** stack smashing detected ***: terminated\n", "stack smashing detected"),
        ("libc++abi: Pure virtual function called!\n", "pure virtual function called"),
        (
            ":0:rocdevice.cpp    :2726: 0893897953 us: [pid:110 tid:0x7f5f] Callback: Queue "
            "0x7f5c16600000 Aborting with error : HSA_STATUS_ERROR_EXCEPTION: It failed\n",
            "HSA_STATUS_ERROR_EXCEPTION",
        ),
        (  # ROCm
            "Memory access fault by GPU node-5 (Agent handle: 0x6103828d8000) on address "
            "0x3001a0000. Reason: Page not present or supervisor privilege.\n",
            "Memory access fault by GPU Reason: Page not present or supervisor privilege",
        ),
    ],
)
def test_without_a_stack_the_words_of_the_runtime_tell_aborts_apart(
    stderr: str, words: str
) -> None:
    def template(text: str) -> str:
        return classify(ProcessResult(End.EXITED, -6, 0.0, 0.0, 0, "", text)).template

    assert template(stderr) == f"SIGABRT: {words}"
    assert template(f"{stderr} #0 0x12 a::f() (/lib/libA.so+0x12)\n") == "SIGABRT"


@pytest.mark.parametrize(
    "head",
    [
        "LLVM ERROR: ",
        "\nfatal internal error: ",  # Flang
        "terminate called after throwing an instance of 'std::runtime_error'\n  what():  ",
    ],
)
def test_who_runs_out_of_memory_may_say_so_in_any_form(head: str) -> None:
    def kind(message: str) -> Kind:
        words = abnormal_exit(f"{head}{message}\n", -6)
        assert words is not None
        return words.kind

    for message in ("out of memory", "Cannot allocate memory", "failed to allocate 80 bytes"):
        assert kind(message) is Kind.MEMORY
    for message in ("cannot allocate register R4", "no registers from class available to allocate"):
        assert kind(message) is Kind.FATAL_ERROR


SANITIZED = """{line}
==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x5611e5efc1ed
READ of size 4 at 0x602000000010 thread T0
    #0 0x7f9c3e6b76a8 in __interceptor_memcpy (/usr/lib/libasan.so.8+0xb76a8) (BuildId: 12ab)
    #1 0x5611e5efc1ec in toy::{function}(mlir::Value) /src/lower.cpp:4:7
    #2 0x5611e5efc21d in toy::LowerPass::runOnOperation() /src/lower.cpp:5
    #3 0x7f9c3e445249 in main /src/main.cpp:58

SUMMARY: AddressSanitizer: heap-use-after-free /src/lower.cpp:4:7 in toy::{function}(mlir::Value)
==9==ABORTING
"""


def test_a_sanitizers_report_is_that_of_a_crash() -> None:
    one, same, other = (
        classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", SANITIZED.format(**parts)))
        for parts in (
            {"line": "", "function": "f"},
            {"line": "a.mlir:1:1: warning: old", "function": "f"},
            {"line": "", "function": "g"},
        )
    )
    assert one.kind is Kind.CRASH and one.template == "AddressSanitizer: heap-use-after-free"
    assert one.frames == same.frames == ("toy::f", "toy::LowerPass::runOnOperation")
    assert other.frames[0] == "toy::g"


def test_a_sanitizer_without_symbols_tells_crashes_apart() -> None:
    """Without a symbolizer, or if the build has no symbols."""
    stripped = SANITIZED.replace(" in __interceptor_memcpy", "").replace(
        " in toy::{function}(mlir::Value) /src/lower.cpp:4:7", "{place}"
    )
    stripped = stripped.replace(" in toy::LowerPass::runOnOperation() /src/lower.cpp:5", "{place}")
    one, other = (
        classify(
            ProcessResult(
                End.EXITED, 1, 0.0, 0.0, 0, "", stripped.format(line="", place=place, function="f")
            )
        )
        for place in (" (/b/tool+0x11)", " (/b/tool+0x12)")
    )
    assert (one.frames, other.frames) == (("tool+0x11",), ("tool+0x12",))


def test_a_node_that_cannot_be_legal_is_named_in_the_line_before() -> None:
    def of(node: str) -> str:
        stderr = f"SplitVectorResult #0: {node}\n\nLLVM ERROR: Do not know how to split it!\n\n"
        words = abnormal_exit(stderr, -6)
        assert words is not None
        return words.template

    assert of("t12: nxv16f32 = fpow t3, t4") == of("t7: v8f64 = fpow t5, t6")
    assert of("t12: nxv16f32 = fpow t3, t4") != of("t12: nxv16f32 = frem t3, t4")


def test_who_goes_on_after_undefined_behavior_ends_with_its_own_error() -> None:
    """Unless it is built to stop, a program only reports it, on any input."""
    undefined = (
        "/src/a.h:3:9: runtime error: shift exponent 77 is too large for 64-bit type 'long'\n"
        "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /src/a.h:3:9\n"
    )
    error = "a.mlir:1:1: error: 'a.b' op is bad\n"
    assert abnormal_exit(undefined + error, 1) is None
    for stopped in (undefined, error + undefined, undefined + "a.mlir:1:1: warning: old\n"):
        assert abnormal_exit(stopped, 1) is not None
    asan = SANITIZED.format(line="", function="f")
    assert abnormal_exit(asan + error, 1) is not None


UNDEFINED = """/src/a.h:3:9: runtime error: load of value 77, which is not valid for type 'E'
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /src/a.h:3:9
"""
SIGNAL = """PLEASE submit a bug report
Stack dump:
 #0 0x12 SignalHandler(int) (/b/opt+0x12)
 #1 0x13 __restore_rt (/lib/libpthread.so.0+0x13)
 #2 0x14 toy::f(int) (/b/opt+0x14)
"""


@pytest.mark.parametrize(
    ("before", "end", "code"),
    [
        (UNDEFINED, SANITIZED.format(line="", function="f"), 1),
        (SANITIZED.format(line="", function="g"), SANITIZED.format(line="", function="f"), 1),
        (
            UNDEFINED,
            SANITIZED.replace("heap-use-after-free", "SEGV").format(line="", function="f"),
            1,
        ),
        (UNDEFINED, SIGNAL, -11),
    ],
)
def test_what_ends_a_program_is_the_last_report(before: str, end: str, code: int) -> None:
    both, alone = (
        classify(ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", text))
        for text in (before + end, end)
    )
    assert (both.template, both.frames) == (alone.template, alone.frames)
    assert both.frames[0] == "toy::f"


def test_no_race_ends_a_program() -> None:
    races = RACE.format(function="f") + RACE.format(function="g")
    found = classify(ProcessResult(End.EXITED, 66, 0.0, 0.0, 0, "", races))
    assert found.frames[0] == "toy::f"


@pytest.mark.parametrize("folder", ["", "/src/", "lib/", "external/llvm-project/"])
def test_a_path_is_no_part_of_what_a_sanitizer_reports(folder: str) -> None:
    for what in ("heap-use-after-free", "data race"):
        words = abnormal_exit(f"SUMMARY: XSanitizer: {what} {folder}a.cpp:3:1 in a::f()\n", 1)
        assert words is not None and words.template == f"XSanitizer: {what}"


def test_a_memory_fault_under_a_sanitizer_is_a_crash() -> None:
    """Every such run ends with the same last line."""
    stderr = SANITIZED.replace("heap-use-after-free", "SEGV").format(line="", function="f")
    found = classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr))
    assert (found.kind, found.template) == (Kind.CRASH, "AddressSanitizer: SEGV")
    assert found.frames[0] == "toy::f"
    assert not found.crash.cut  # so it is not run again for the rest


RACE = """WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7b1800006308 by thread T1:
    #0 llvm::ilist_base<true>::insertBefore<x>(int) /src/ilist.h:3 (toy-opt+0x24fe371)
    #1 toy::{function}(mlir::Operation*) /my src/a.cpp:3:3 (toy-opt+0x24fe371) (BuildId: 12ab)
    #2 toy::LowerPass::runOnOperation() /src/a.cpp (toy-opt+0x24fe3aa)

  Previous write of size 8 at 0x7b1800006308 by thread T2:
    #0 toy::other(int) /src/ilist.h:41:52 (toy-opt+0x24fe371)

SUMMARY: ThreadSanitizer: data race /src/ilist.h:3 in llvm::ilist_base<true>::insertBefore<x>(int)
"""


def test_races_are_told_apart_by_the_first_stack() -> None:
    one, other = (
        classify(ProcessResult(End.EXITED, 66, 0.0, 0.0, 0, "", RACE.format(function=function)))
        for function in ("f", "g")
    )
    assert one.template == other.template == "ThreadSanitizer: data race"
    assert one.frames == ("toy::f", "toy::LowerPass::runOnOperation")
    assert other.frames == ("toy::g", "toy::LowerPass::runOnOperation")


def test_an_error_that_tells_of_a_crash_is_one() -> None:
    """As of what a tool compiles and runs in a process of its own."""
    for place in ("0x12", "0x34"):
        stderr = " #0 0x1 (/b/libA.so+0x1)\n #1 0x2 (/lib/libc.so.6+0x2)\n"
        stderr += f" #2 {place} (/b/libB.so+{place})\n/b/mojo: error: execution crashed\n"
        found = classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr))
        assert (found.kind, found.frames) == (Kind.CRASH, (f"libB.so+{place}",))
