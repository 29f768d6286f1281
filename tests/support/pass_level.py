"""The pass level of a program, by the driver itself."""

from functools import partial

from reducer.driver.reduction import reduce_in
from reducer.driver.stages.pass_level import reduce_pass_level as _reduce_pass_level

reduce_pass_level = partial(_reduce_pass_level, reduce=reduce_in)
