"""Commands and inputs in texts as people post them."""

import time
from pathlib import Path

from reducer.intake import Crash, read_crash, split_input, without_splitting

PROGRAM = "func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  return %0 : i32\n}\n"
DUMP = """\
PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the trace.
Stack dump:
0.\tProgram arguments: /data/build/bin/mlir-opt "-pass=a=1 b" -o /tmp/out --cse {}
 #0 0x00007f llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/data/build/bin/mlir-opt+0x20)
"""


def read(text: str, folder: Path | None = None) -> Crash:
    return read_crash(text, (folder or Path("/nowhere")) / "crash.log")


def test_a_stack_dump_that_names_a_file_next_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    crash = read(DUMP.format("/data2/x/a.mlir"), tmp_path)
    assert crash.commands == (("mlir-opt", "-pass=a=1 b", "--cse", "{}"),)
    assert crash.text == PROGRAM
    assert not crash.missing


def test_a_lit_test() -> None:
    text = (
        "// RUN: mlir-opt %s -cse \\\n// RUN:   -split-input-file | FileCheck %s\n"
        f"// RUN: not --crash mlir-opt --dce < %s 2>&1 | FileCheck %s\n{PROGRAM}// -----\n{PROGRAM}"
    )
    crash = read(text)
    assert crash.commands == (
        ("mlir-opt", "-cse", "-split-input-file", "{}"),
        ("mlir-opt", "--dce", "{}"),
    )
    assert crash.text == text
    parts = split_input(text, crash.commands[0])
    assert len(parts) == 2
    assert parts[1] == PROGRAM
    assert without_splitting(crash.commands[0]) == ("mlir-opt", "-cse", "{}")
    assert split_input(text, crash.commands[1]) == [text]


def test_a_word_of_any_length_is_read_at_once() -> None:
    """An issue may have anything in it, such as a picture in one line."""
    started = time.process_time()
    crash = read(f"{'A' * 50_000}\n\n    some-opt x.mlir\n\n```mlir\nmodule {{}}\n```\n")
    assert crash.commands == (("some-opt", "{}"),)
    assert time.process_time() - started < 5
