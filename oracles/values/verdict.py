"""What of a wrong result must stay the same while the program shrinks.

Against a reference compiled from the same module, whatever differs (and passes the guards) is a
defect of one of the two compilers, so little needs to stay: whether the numbers are wrong, whether
there are NaNs where numbers should be, whether the shape is wrong, or the program fails to run.

A function in Python does not change with the module, so a module that computes something else
would pass for a wrong one. There each result must stay as right, or as wrong, as it was.
"""

from oracles.kind import Kind
from oracles.signature import Signature
from oracles.values.compare import Sort, gravest
from oracles.values.guards import Question
from oracles.values.run import Answer


def signature_of(answer: Answer, question: Question, *, fine: bool) -> Signature:
    """The signature of an answer that is not the expected one."""
    if answer.failure:
        return Signature(Kind.MISCOMPILE, f"the program fails: {answer.failure}")
    found = question.differences(answer)
    if not fine or len(answer.results) != len(question.expected.results):
        sort = gravest(found).sort
        return Signature(Kind.MISCOMPILE, str(Sort.VALUES if sort is Sort.ORDER else sort))
    wrong = {difference.result: str(difference.sort) for difference in found}
    told = [
        f"{value.type.element}: {wrong.get(number, 'right')}"
        for number, value in enumerate(answer.results)
        if value.type is not None and question.expected.results[number].elements is not None
    ]
    return Signature(Kind.MISCOMPILE, ", ".join(told))
