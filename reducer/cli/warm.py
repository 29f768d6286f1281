"""The `--warm` option: compilers that are forked instead of started."""

from collections.abc import Iterator
from contextlib import contextmanager

from oracles import CompilerOracle, Oracle, PatternOracle
from oracles.warm import WarmCompiler
from oracles.warm_choice import choose_runner

_SMALL = "module {\n}\n"


@contextmanager
def warmed(oracle: Oracle, asked: bool | None) -> Iterator[None]:
    """Makes the oracle's runs warm in the body of a `with`: as `asked`, or if that is faster.

    Only a compiler can be warm; any other oracle stays as it is.
    """
    compiler = oracle.inner if isinstance(oracle, PatternOracle) else oracle
    if asked is False or not isinstance(compiler, CompilerOracle):
        yield
        return
    before = compiler.runner
    if asked:
        warm = WarmCompiler(compiler.executable)
        compiler.runner, close = warm, warm.close
    else:
        choice = choose_runner(compiler, _SMALL)
        compiler.runner, close = choice.runner, choice.close
    try:
        yield
    finally:
        compiler.runner = before
        close()
