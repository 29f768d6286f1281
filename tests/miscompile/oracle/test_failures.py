"""Why a compiled program did not run to its end."""

import pytest

from oracles.run.limits import End, ProcessResult
from reducer.miscompile.oracle.execution import RunFailure, failure_of

SHAPE = (
    "c/runtime/src/iree/modules/hal/utils/buffer_diagnostics.c:225: INVALID_ARGUMENT; input0 shape "
    "dimension 0 mismatch; expected 4 but have 5; while invoking native function "
    "hal.buffer_view.assert; while calling import; \n[ 0] bytecode module@1:198 -; invoking "
    "function 'g'; `sync func @g(%input0: tensor<4xf32>) -> (%output0: f32)`\n"
)
ASSERT = (
    "<vm>:0: FAILED_PRECONDITION; index 9 too large; ; invoking function 'g'; `sync func @g()`\n"
)
QUEUED = (
    "c/runtime/src/iree/hal/local/transient_buffer.c:80: FAILED_PRECONDITION; buffer is not "
    "committed; while invoking native function {}; while calling import; \n"
)
"""Work that fails on the device: which call is told depends on who is faster."""
DEVICE = "iree/runtime/src/iree/hal/driver_registry.c:200: NOT_FOUND; no driver 'hip' registered\n"
RUNTIME_ASSERTION = "iree-run-module: src/a.c:3: int f(int): Assertion `x < 3' failed.\n"


DENIED = (
    "iree/runtime/src/iree/hal/buffer.c:200: PERMISSION_DENIED; operation requires "
    "TRANSFER_SOURCE; `sync func @f(%input0: tensor<6xf32>) -> (%output0: tensor<8xf32>)`\n"
)


def failed(stderr: str, exit_code: int = 1, stdout: str = "") -> RunFailure:
    return failure_of(ProcessResult(End.EXITED, exit_code, 0.0, 0.0, 0, stdout, stderr))


@pytest.mark.parametrize(
    ("stderr", "exit_code", "template"),
    [
        (
            SHAPE,
            1,
            "INVALID_ARGUMENT in hal.buffer_view.assert: inputN shape dimension N mismatch; "
            "expected N but have N",
        ),
        (ASSERT, 1, "FAILED_PRECONDITION: index N too large"),
        (QUEUED.format("hal.fence.await"), 1, "FAILED_PRECONDITION: buffer is not committed"),
        (QUEUED.format("hal.device.queue.copy"), 1, "FAILED_PRECONDITION: buffer is not committed"),
        (DENIED, 1, "PERMISSION_DENIED: operation requires TRANSFER_SOURCE"),
        ("EXEC @f\n", -11, "SIGSEGV"),
        (RUNTIME_ASSERTION, -6, "x < 3 in f"),
        ("what is this\n", 3, "exit code 3"),
    ],
)
def test_what_identifies_a_failure(stderr: str, exit_code: int, template: str) -> None:
    found = failed(stderr, exit_code)
    assert found.template == template
    assert found.exit_code == exit_code


def test_the_message_keeps_its_numbers() -> None:
    assert failed(ASSERT).message == "FAILED_PRECONDITION: index 9 too large"


@pytest.mark.parametrize(
    ("stderr", "stdout", "missing"),
    [
        (DEVICE, "", True),
        (SHAPE, "", False),
        (ASSERT, "", False),
        (DENIED, "EXEC @f\n", False),  # the program has overwritten what describes its memory
        ("<vm>:0: UNIMPLEMENTED; no such op; ; invoking function 'g'; `…`\n", "", False),
    ],
)
def test_what_is_no_failure_of_the_program(stderr: str, stdout: str, missing: bool) -> None:
    assert failed(stderr, stdout=stdout).no_device is missing
