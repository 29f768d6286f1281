"""Stacks as debuggers and other runtimes than LLVM's print them."""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify

MPI = """[node:12] *** Process received signal ***
[node:12] Signal: Segmentation fault (11)
[node:12] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x43090)[0x7e247229e090]
[node:12] [ 1] /q/libtool.so({mangled}+0x74)[0x7e23a7b06b74]
[node:12] [ 2] /q/libtool.so(_ZN1a7LowerOp3runEv+0x7f)[0x7e23a8f0337f]
[node:12] *** End of error message ***
"""
LLDB = """* thread #1, name = 'opt', stop reason = signal SIGSEGV: address not mapped to object
  * frame #0: 0x00007ff8432b1ede libA.so`a::{name}(this=0x12, n=<unavailable>) at A.h:28:21
    frame #1: 0x00007ff8432b1f15 libA.so`a::LowerOp::run(this=0x34) const + 12 at A.h:32:15 [opt]
    frame #2: 0x00007ff8432b0a27 opt`main + 56
"""
OWN_HANDLER = """LLVM ERROR: no type
 #0 0x01 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
 #1 0x02 tool_stacktrace_signal_handler(void*) /src/llvm.cc:424:3
 #2 0x03 SignalHandler(int) Signals.cpp:0:0
 #3 0x04 (/lib/x86_64-linux-gnu/libc.so.6+0x42520)
 #4 0x05 a::{name}(int) A.cpp:0:0
 #5 0x06 a::LowerOp::run() A.cpp:0:0
"""

SYSTEMD = """       Message: Process 12 (mlir-opt) of user 1000 dumped core.
                Stack trace of thread 12:
                #0  0x00007e1234567890 n/a (libc.so.6 + 0x1234567)
                #1  0x00007e1234567999 a::{name}(mlir::Operation*) (libA.so.20 + 0x1234670)
                #2  0x00007e1234567aaa a::LowerOp::run() (libA.so.20 + 0x1234781)
"""

GDB = """Program received signal SIGSEGV, Segmentation fault.
a::{name} (this=0x0) at /t/a.cpp:4
4\t  return x;
#0  a::{name} (this=0x0) at /t/a.cpp:4
#1  0x00005555555562e3 in mlir::detail::TypedValue<mlir::Type>::getType (this=0x1) at /t/V.h:33
#2  0x00005555555563e3 in a::LowerOp::run (this=0x1, op=...) at /t/a.cpp:33
"""


def classified(stderr: str) -> Classification:
    return classify(ProcessResult(End.EXITED, -11, 0.0, 0.0, 0, "", stderr))


@pytest.mark.parametrize("text", [MPI, LLDB, OWN_HANDLER, SYSTEMD, GDB])
def test_the_functions_of_a_stack(text: str) -> None:
    for name in ("find", "get"):
        mangled = f"_ZN1a{len(name)}{name}Ev"
        found = classified(text.replace("{mangled}", mangled).replace("{name}", name))
        assert found.frames == (f"a::{name}", "a::LowerOp::run")
