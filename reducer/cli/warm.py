"""The `--warm` option: compilers that are forked instead of started."""

from collections.abc import Iterator
from contextlib import contextmanager

from oracles import CompilerOracle, Oracle, PatternOracle
from oracles.warm import WarmCompiler


@contextmanager
def warmed(oracle: Oracle, wanted: bool) -> Iterator[None]:
    """Makes the oracle's runs warm in the body of a `with`, if that is wanted.

    Only a compiler can be warm; any other oracle stays as it is.
    """
    compiler = oracle.inner if isinstance(oracle, PatternOracle) else oracle
    if not wanted or not isinstance(compiler, CompilerOracle):
        yield
        return
    before = compiler.runner
    with WarmCompiler(compiler.executable) as runner:
        compiler.runner = runner
        try:
            yield
        finally:
            compiler.runner = before
