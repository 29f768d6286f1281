"""What a run costs: started or forked (warm), whole or stopped at the failing phase.

    python -m benchmarks.warm [--wheel 3.13.0] [--runs 7]

Ways are measured in turns, so that a busy moment of the machine hits all of them; medians of CPU
and wall milliseconds of one whole answer of the oracle, which may take several processes.
"""

import argparse
from collections.abc import Iterator
from statistics import median

from oracles import Command, CompilerOracle, Limits, run_process
from oracles.limits import Runner
from oracles.warm import WarmCompiler
from reducer.toolchain import install
from tests.support.corpus import Case, Run, cases

_LIMITS = Limits(seconds=120)
_INVALID = "func.func @f(%a: tensor<4xf32>) { %b = arith.addf %a, %c : tensor<4xf32> }"
_EMPTY = "module {\n}\n"


def main() -> None:
    """Prints one line for each program."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--wheel", default="3.13.0")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    executable = install(arguments.wheel).compile
    print(f"iree {arguments.wheel}: CPU / wall ms")
    print(
        f"{'':34}{'plain':>12}{'warm':>12}{'ratio':>12}{'stopped':>12}{'+ warm':>12}{'ratio':>12}"
    )
    with WarmCompiler(executable) as warm:
        for name, text, command in _programs(arguments.wheel):

            def oracle(runner: Runner, command: Command = command) -> CompilerOracle:
                return CompilerOracle(command, executable, limits=_LIMITS, runner=runner)

            wholes = [oracle(run_process), oracle(warm)]
            phase = _failing_phase(wholes[0], text)
            shorts = [] if phase is None else [whole.shortened()[phase] for whole in wholes]
            costs = _medians([*wholes, *shorts], text, arguments.runs)
            print(f"{name:34}{_pair(costs[0], costs[1])}{_pair(*costs[2:]) if shorts else ''}")


def _programs(wheel: str) -> Iterator[tuple[str, str, Command]]:
    flags = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")
    for name, text in (("(does not parse)", _INVALID), ("(empty module)", _EMPTY)):
        yield name, text, Command.parse(["iree-compile", *flags])
    for case, run in _failing_runs(wheel):
        path = case.expert(run)
        assert path is not None
        command = Command.parse(["iree-compile", *run.flags], directory=case.folder)
        yield case.name, path.read_text(), command


def _failing_runs(wheel: str) -> Iterator[tuple[Case, Run]]:
    for case in cases():
        for run in case.runs:
            if run.wheel == wheel and run.expert and run.is_plain and case.execution is None:
                yield case, run


def _failing_phase(oracle: CompilerOracle, text: str) -> int | None:
    """The first phase after which the compiler may stop and still fails in the same way."""
    wanted = oracle.run(text)
    if not wanted.failed:
        return None
    shortened = oracle.shortened()
    for number, short in enumerate(shortened):
        if short.run(text).signature == wanted.signature:
            return number
    return None


def _medians(oracles: list[CompilerOracle], text: str, runs: int) -> list[tuple[float, float]]:
    """CPU and wall milliseconds of each; the first turn only warms up."""
    turns = [[oracle.run(text) for oracle in oracles] for _ in range(runs + 1)][1:]
    signatures = {outcome.signature for turn in turns for outcome in turn}
    assert len(signatures) == 1, signatures
    return [
        (1e3 * median(o.cpu_seconds for o in column), 1e3 * median(o.seconds for o in column))
        for column in zip(*turns, strict=True)
    ]


def _pair(plain: tuple[float, float], warm: tuple[float, float]) -> str:
    cells = [f"{plain[0]:.0f} / {plain[1]:.0f}", f"{warm[0]:.0f} / {warm[1]:.0f}"]
    cells.append(f"{plain[0] / warm[0]:.2f} / {plain[1] / warm[1]:.2f}")
    return "".join(f"{cell:>12}" for cell in cells)


if __name__ == "__main__":
    main()
