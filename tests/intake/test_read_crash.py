"""Commands and inputs in texts as people post them."""

import time
from pathlib import Path

import pytest

from reducer.intake import Crash, read_crash, split_input, without_splitting
from reducer.intake.commands import releases_in

PROGRAM = "func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  return %0 : i32\n}\n"
DUMP = """\
PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the trace.
Stack dump:
0.\tProgram arguments: /data/build/bin/mlir-opt "-pass=a=1 b" -o /tmp/out --cse {}
 #0 0x00007f llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/data/build/bin/mlir-opt+0x20)
"""
REPRODUCER = """\
#map = affine_map<(d0) -> (d0)>
module {
  func.func @f() {
    return
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(canonicalize{top-down=true}),cse)",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
"""
PIPELINE = "--pass-pipeline=builtin.module(func.func(canonicalize{top-down=true}),cse)"


def read(text: str, folder: Path | None = None) -> Crash:
    return read_crash(text, (folder or Path("/nowhere")) / "crash.log")


def test_a_stack_dump_that_names_a_file_next_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    crash = read(DUMP.format("/data2/x/a.mlir"), tmp_path)
    assert crash.commands == (("mlir-opt", "-pass=a=1 b", "--cse", "{}"),)
    assert crash.text == PROGRAM
    assert not crash.missing


def test_a_stack_dump_without_its_file() -> None:
    crash = read(DUMP.format("a.mlir"))
    assert crash.missing == "the file a.mlir, which it names (it may lie next to crash.log)"


def test_an_issue_with_command_and_program_in_its_text() -> None:
    head = "## mlir-opt crashes with cse\nReproduce: `mlir-opt -cse a.mlir` fails\n"
    issue = f"{head}```mlir\n{PROGRAM}```\n"
    crash = read(issue + f"Trace:\n```\n{DUMP.format('a.mlir')}```\n")
    assert crash.commands == (("mlir-opt", "-pass=a=1 b", "--cse", "{}"),)
    assert crash.text == PROGRAM
    assert read(issue).commands == (("mlir-opt", "-cse", "{}"),)


@pytest.mark.parametrize("prompt", ["$ ", "+ ", "[1/3] ", "2026-06-23T10:11:12.345Z ", "> ./bin/"])
def test_a_log_of_a_build(prompt: str) -> None:
    crash = read(f"step 1\n{prompt}heir-opt --mlir-to-bgv=a=1 in.mlir 2>&1 | tee log\n{PROGRAM}")
    assert crash.commands == (("heir-opt", "--mlir-to-bgv=a=1", "{}"),)
    assert crash.text == PROGRAM


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


def test_a_crash_reproducer() -> None:
    crash = read(REPRODUCER)
    assert crash.missing == "the compiler that it is for"
    assert "mlir_reproducer" not in crash.text
    assert crash.text.startswith("#map = ")
    crash = read_crash(REPRODUCER, Path("r.mlir"), ["mlir-opt-22"])
    assert crash.commands == (("mlir-opt-22", PIPELINE, "{}"),)


def test_a_crash_reproducer_among_what_a_program_prints() -> None:
    log = (
        f"kernel.py:7:2: error: something\n{REPRODUCER}kernel.py:7:2: note: Pipeline failed: "
        "reproducer generated at `std::errs, please share the reproducer above with Some "
        "project.`\n"
    )
    crash = read(log)
    assert crash.commands == (("some-opt", PIPELINE, "{}"),)
    assert crash.text.startswith("#map = ")
    assert crash.text.rstrip().endswith("}")


def test_the_pipeline_of_a_reproducer_replaces_that_of_the_command() -> None:
    crash = read(REPRODUCER + DUMP.format("a.mlir"))
    assert crash.commands == (("mlir-opt", PIPELINE, "{}"),)


def test_other_programs_are_never_found() -> None:
    for command in ("rm -rf x.mlir", "sh mlir.sh -c x"):
        assert read(f"$ {command}\n{PROGRAM}").commands == ()


def test_what_else_a_line_has_run_is_left_out() -> None:
    crash = read(f"$ A=1 B=2 mlir-opt -o out.mlir --cse a.mlir 2>&1 | tee x > y\n{PROGRAM}")
    assert crash.commands == (("mlir-opt", "--cse", "{}"),)
    assert crash.left_out == ("A=1", "B=2", "2 >& 1 | tee x > y", "-o out.mlir")


@pytest.mark.parametrize(
    ("text", "releases"),
    [
        ("### Version information\n\nIREE 3.8.0 (pip)", ["3.8.0"]),
        ("### Version information\n3.8\n", ["3.8.0"]),
        (
            "IREE (https://iree.dev):\n  IREE compiler version 3.9.0rc20250901 @ abc",
            ["3.9.0rc20250901"],
        ),
        ("pip: iree-base-compiler==3.7.1, Python 3.11.2", ["3.7.1"]),
        ("| iree-base-compiler | 3.7.1 |", ["3.7.1"]),
        ("Fine in IREE 3.7.1, not in IREE 3.8.0.", ["3.7.1", "3.8.0"]),
        ("Fine in IREE 3.7.1.\n## Version\nIREE v3.8.0", ["3.8.0"]),
        ("IREE 20240410.859 on ROCm 6.2.0, CUDA 12.2, LLVM 22.1.8", []),
        ("iree-turbine 3.8.0; iree-compile x.mlir", []),
    ],
)
def test_releases_that_a_text_names(text: str, releases: list[str]) -> None:
    assert releases_in(text) == releases


def test_only_the_name_of_a_program_counts() -> None:
    crash = read(f"$ /tmp/evil/iree-compile --x a.mlir; rm a\n{PROGRAM}")
    assert crash.commands == (("iree-compile", "--x", "{}"),)


def test_prose_is_no_command() -> None:
    assert read("mlir-opt triggers a segmentation fault with --cse").commands == ()
    assert read("nothing at all").missing == "a command of a compiler, and a program for it"


def test_a_crash_reproducer_up_to_llvm_14() -> None:
    """The pipeline comes first, in a comment; later releases want the module that it implies."""
    text = (
        "// configuration: -pass-pipeline='builtin.func(cse),inline' -verify-each\n"
        "#map = affine_map<(d0) -> (d0)>\nmodule {\n  func @f() {\n    return\n  }\n}\n"
    )
    crash = read_crash(f"some log\n{text}more\n", Path("crash.log"), ["mlir-opt-14"])
    assert [words[1] for words in crash.commands] == [
        "--pass-pipeline=builtin.func(cse),inline",
        "--pass-pipeline=builtin.module(builtin.func(cse),inline)",
    ]
    assert crash.text.startswith("#map = affine_map")
    assert crash.text.rstrip().endswith("}")
    assert "configuration" not in crash.text


def test_a_line_of_several_commands() -> None:
    text = (
        f"```\n{PROGRAM}```\nWithout it:\n```\n"
        "/data/bin/mlir-opt a.mlir -pass-pipeline='builtin.module(func.func(cse))' | \\\n"
        "/data/bin/mlir-opt -lower-affine 2>/dev/null | /data/bin/mlir-runner -e f\n```\n"
        "With:\n```\nmlir-opt a.mlir --sccp | mlir-opt -lower-affine | mlir-cpu-runner -e f\n```\n"
    )
    crash = read(text)
    assert crash.commands == (
        (
            *("mlir-opt", "-pass-pipeline=builtin.module(func.func(cse))", "{}"),
            *("|", "mlir-opt", "-lower-affine"),
        ),
        ("mlir-opt", "--sccp", "-lower-affine", "{}"),
    )
    assert crash.entry == "f", "so what it computes may be wrong"


def test_other_tools_in_a_line_are_left_out() -> None:
    crash = read(f"// RUN: mlir-opt %s --cse | FileCheck %s\n{PROGRAM}")
    assert crash.commands == (("mlir-opt", "--cse", "{}"),)
    assert crash.entry is None


def test_a_command_as_lit_prints_it_on_windows() -> None:
    log = (
        'Exit Code: 2\n$ ":" "RUN: at line 1"\n$ "c:\\build\\bin\\mlir-opt.exe" "-a=b c" "x.mlir"\n'
    )
    crash = read(f"{log}```\n{PROGRAM}```\n")
    assert crash.commands == (("mlir-opt", "-a=b c", "{}"),)


def test_a_session_at_a_prompt() -> None:
    text = f"```\n$ cat a.mlir\n{PROGRAM}$ bin/mlir-opt a.mlir --cse\nSegmentation fault\n```\n"
    assert read(text).text == PROGRAM


def test_code_that_is_indented() -> None:
    lines = "".join(f"    {line}\n" for line in PROGRAM.splitlines())
    text = f"The command\n\n    mlir-opt --cse in.mlir\n\nwith\n\n{lines}\ncrashes.\n"
    crash = read(text)
    assert (crash.text, crash.commands) == (PROGRAM, (("mlir-opt", "--cse", "{}"),))


def test_a_word_of_any_length_is_read_at_once() -> None:
    """An issue may have anything in it, such as a picture in one line."""
    started = time.process_time()
    crash = read(f"{'A' * 50_000}\n\n    some-opt x.mlir\n\n```mlir\nmodule {{}}\n```\n")
    assert crash.commands == (("some-opt", "{}"),)
    assert time.process_time() - started < 5
