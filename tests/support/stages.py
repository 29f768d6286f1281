"""Parts of the table of stages, carried out on a context."""

from reducer.driver import table
from reducer.driver.stage import carry_out
from reducer.driver.state import Context


def search(context: Context) -> None:
    carry_out(table.SEARCH, context)


def finish(context: Context) -> None:
    carry_out(table.FINISH, context)
