"""The `--warm` option: compilers that are forked instead of started."""

from collections.abc import Iterator
from contextlib import contextmanager

from oracles import CompilerOracle, Oracle, PatternOracle
from oracles.warm import WarmCompiler
from oracles.warm_choice import EventuallyWarm


@contextmanager
def warmed(oracle: Oracle, asked: bool | None) -> Iterator[None]:
    """Makes the oracle's runs warm in the body of a `with`: as `asked`, or when that is faster.

    Only a compiler can be warm; any other oracle stays as it is.
    """
    compiler = oracle.inner if isinstance(oracle, PatternOracle) else oracle
    if asked is False or not isinstance(compiler, CompilerOracle):
        yield
        return
    before = compiler.runner
    with (WarmCompiler if asked else EventuallyWarm)(compiler.executable) as runner:
        compiler.runner = runner
        try:
            yield
        finally:
            compiler.runner = before
