"""A triage run as JUnit XML, which every CI system can display.

There is one test case per input and configuration. A new or reopened bug is a failure, a known bug
is skipped like an expected failure, and whatever could not be run is an error. There is one per
known failure and compiler as well, which passes once that compiles.
"""

import xml.etree.ElementTree as ET

from reducer.escaping import lines as escaped
from reducer.triage.backlog import BacklogVerdict
from reducer.triage.states import BugState
from reducer.triage.summary import Cell, Summary


def junit_xml(summary: Summary) -> str:
    """The whole XML document."""
    suites = ET.Element("testsuites", name="mlir-reducer triage")
    by_configuration: dict[str, list[Cell]] = {}
    for cell in summary.cells:
        by_configuration.setdefault(cell.configuration, []).append(cell)
    for configuration, cells in by_configuration.items():
        suite = ET.SubElement(suites, "testsuite", name=escaped(configuration))
        for cell in cells:
            _add_case(suite, cell, summary)
        _count(suite)
    if summary.unreadable or summary.unusable:
        _add_errors(ET.SubElement(suites, "testsuite", name="inputs and flags"), summary)
    if summary.answers:
        _add_answers(ET.SubElement(suites, "testsuite", name="known failures"), summary)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ET.Element, cell: Cell, summary: Summary) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        name=escaped(cell.path),
        classname=escaped(cell.configuration),
        time=f"{cell.result.seconds:.3f}" if cell.result else "0",
    )
    if cell.result is None:
        _add_result(case, "error", "not run", cell.problem or "no result")
    elif cell.result.kind.traits.rejected:
        _add_result(case, "skipped", "invalid-input", "this compiler cannot parse the input")
    elif cell.result.bucket is not None:
        name = summary.roots.get(cell.result.bucket, cell.result.bucket)
        state = summary.states.get(cell.result.bucket, BugState.NEW)
        text = next((bug.text for bug in summary.bugs if bug.name == name), "")
        tag = "failure" if state in (BugState.NEW, BugState.REOPENED) else "skipped"
        _add_result(case, tag, str(cell.result.kind), f"{state} bucket {name}: {text}")


def _add_errors(suite: ET.Element, summary: Summary) -> None:
    for one in summary.unreadable:
        case = ET.SubElement(suite, "testcase", name=escaped(one.place.shown), classname="input")
        _add_result(case, "error", "unreadable", one.reason)
    for name, reason in summary.unusable.items():
        case = ET.SubElement(suite, "testcase", name=escaped(name), classname="flags")
        _add_result(case, "error", "unusable", f"fails even on an empty function: {reason}")
    _count(suite)


def _add_answers(suite: ET.Element, summary: Summary) -> None:
    tags = dict(zip(BacklogVerdict, ("", "failure", "error", "skipped"), strict=True))
    for one in summary.answers:
        name, compiler = escaped(one.place), escaped(one.compiler)
        case = ET.SubElement(suite, "testcase", name=name, classname=compiler)
        if tag := tags[one.verdict]:
            _add_result(case, tag, str(one.verdict), one.says)
    _count(suite)


def _add_result(case: ET.Element, tag: str, kind: str, message: str) -> None:
    child = ET.SubElement(case, tag, type=escaped(kind), message=escaped(message))
    if tag != "skipped":
        child.text = escaped(message)


def _count(suite: ET.Element) -> None:
    cases = list(suite)
    suite.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
