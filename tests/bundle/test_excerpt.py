"""What of a compiler's output people read."""

from reducer.bundle.excerpt import excerpt


def test_diagnostics_stay_and_stacks_go() -> None:
    text = """Please report issues to https://github.com/iree-org/iree/issues and include the crash.
repro.mlir:3:5: error: failed to bufferize op
  %0 = "x.y"()
       ^
Stack dump:
0.\tProgram arguments: /x/iree-compile repro.mlir
 #0 0x00007f684875a0ab llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
5  libIREECompiler.so 0x00007f1
"""
    assert excerpt(text).splitlines() == [
        "repro.mlir:3:5: error: failed to bufferize op",
        '  %0 = "x.y"()',
        "       ^",
    ]


def test_printed_ir_goes_up_to_the_next_diagnostic() -> None:
    text = "// -----// IR Dump After X Failed (x) //----- //\nmodule {\n}\na.mlir:1:1: error: y\n"
    assert excerpt(text) == "a.mlir:1:1: error: y"


def test_it_is_short() -> None:
    shown = excerpt("\n".join(f"error: {n} {'x' * 500}" for n in range(1000)))
    assert len(shown) < 6000
    assert shown.endswith("… and 976 more lines")
    target = 'error: backend #hal.executable.target<"rocm", {abi = "hip"}>'
    assert excerpt(target) == "error: backend #hal.executable.target<…>"


def test_nothing_but_a_stack() -> None:
    assert excerpt("Stack dump:\n #0 0x00007f684875a0ab f() a.cpp:0:0\n") == ""
