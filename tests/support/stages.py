"""Parts of the table of stages, carried out on a context."""

from reducer.session import strategy
from reducer.session.context import Context
from reducer.session.stage import carry_out


def search(context: Context) -> None:
    carry_out(strategy.SEARCH, context)


def finish(context: Context) -> None:
    carry_out(strategy.FINISH, context)
