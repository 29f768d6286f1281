"""MLIR's own tools say what a program means, as a witness from outside the compiler's project.

A pass is blamed only for what it changes: neither for what is undefined nor for what the runner
does. What the tools cannot run is not judged.

This file: functions with names that the C library has.
"""

from reducer.miscompile.mlir_runner.reference import avoid_libc_names, defined_names

PROGRAM = """\
module {
  func.func private @cos(f32) -> f32
  llvm.mlir.global internal constant @text("call @sin\\00")
  func.func @sin(%arg0: f32) -> f32 attributes {llvm.emit_c_interface} {
    %0 = call @cos(%arg0) : (f32) -> f32
    %1 = call @sin(%0) : (f32) -> f32
    return %1 : f32
  }
  llvm.func internal @malloc(%arg0: i64) {
    llvm.return
  }
}
"""

RENAMED = """\
module {
  func.func private @cos(f32) -> f32
  llvm.mlir.global internal constant @text("call @sin\\00")
  func.func @sin.own(%arg0: f32) -> f32 attributes {llvm.emit_c_interface} {
    %0 = call @cos(%arg0) : (f32) -> f32
    %1 = call @sin.own(%0) : (f32) -> f32
    return %1 : f32
  }
  llvm.func internal @malloc.own(%arg0: i64) {
    llvm.return
  }
}
"""


def test_what_has_a_body_gets_another_name() -> None:
    assert defined_names(PROGRAM) == {"sin", "malloc"}
    assert avoid_libc_names(PROGRAM) == RENAMED


def test_what_is_declared_in_another_module_keeps_its_name() -> None:
    text = PROGRAM + "module @other {\n  func.func private @sin(f32) -> f32\n}\n"
    assert "sin" not in defined_names(text)
