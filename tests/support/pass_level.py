"""The pass level of a program, by the driver itself."""

from functools import partial

from reducer.driver.pass_level import reduce_pass_level as _reduce_pass_level
from reducer.driver.reduction import reduce_in

reduce_pass_level = partial(_reduce_pass_level, reduce=reduce_in)
