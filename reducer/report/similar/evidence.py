"""What identifies a failure, wherever it is told: messages, functions, passes, ops and targets.

A report and a triage database say these in fields. An issue says them in prose, in code blocks and
in its title, so they are looked for in all of its text, in time linear in its length. What is found
there by mistake does no harm: only what the failure at hand has, too, is ever compared.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oracles import Signature
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.reasons import LED_TO
from oracles.signature.templates import template_of
from oracles.stacks.dispatching import distinctive
from oracles.stacks.frames import name_frames, parse_stack
from oracles.stacks.symbols import Symbols
from reducer.ir.dialects import is_ordinary

_LONGEST_LINE = 2_000  # characters; longer lines are data or printed IR
_SAYS = re.compile(r"error|assert|unreachable|fail|crash|expected|cannot|unsupported|must", re.I)
_LOCATED = re.compile(r"^.*?\b(?:error|warning): |^.*?\bLLVM ERROR: ")
_OP = re.compile(r"(?<![\w.#!%@/$-])[a-z_]\w*(?:\.[a-z_][\w$]*)+(?![\w/])")
_COMMENT = re.compile(r"//[^\n]*")
_STRING = re.compile(r'= "(?:[^"\\\n]|\\.)*"(?![(<\[])|\bloc\([^\n]*')
_PASS_CLASS = re.compile(r"\b([A-Z]\w*?)Pass\b")
_PASS_NAME = re.compile(r"(?<![\w-])-{0,2}([a-z][a-z0-9]*(?:-[a-z0-9]+)+)")
_DUMP = re.compile(r"IR Dump (?:After|Before) (\w+)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUALIFIED = re.compile(r"\b(?:[A-Za-z_]\w*::)+[A-Za-z_]\w*")
_WORD = re.compile(r"[a-zA-Z_]{4,}")
_PROGRAM = re.compile(r"\b[a-z]+-(?:opt|compile)\b")


@dataclass(frozen=True)
class Evidence:
    """What a text or a failure says.

    Attributes:
        messages: templates (`oracles.signature.templates`) of what the compiler printed.
        functions: names of functions on the stack.
        passes: passes, spelled as on a command line and without `Pass`.
        ops: names of ops.
        words: the words of the messages, or of a whole issue, in lower case.
        targets: programs and targets.
        bucket: the hash of the signature; '' if only a text is known.
    """

    messages: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    passes: frozenset[str] = frozenset()
    ops: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    bucket: str = ""

    @classmethod
    def of_failure(
        cls,
        signature: Signature,
        program: str,
        *,
        passes: Iterable[str] = (),
        functions: Iterable[str] = (),
        targets: Iterable[str] = (),
    ) -> "Evidence":
        """What is known about a failure.

        Args:
            program: the program that fails; '' if it is not known.
            passes: further passes besides that of the signature: the failing one, or those that
                the command names.
            functions: further functions on the stack.
        """
        frames = signature.frames if signature.names_functions else ()
        named = filter(None, (signature.pass_name, *passes))
        op = signature.op.partition(" ")[0]
        return cls(
            messages=frozenset(filter(is_telling, _messages_of(signature))),
            functions=frozenset(distinctive([*frames, *functions])),
            passes=frozenset(map(spelled, named)),
            ops=ops_of(program) | frozenset([op] if op and not is_ordinary(op) else []),
            words=words_of(signature.template),
            targets=frozenset(targets),
            bucket=signature.bucket,
        )

    @classmethod
    def of_issue(cls, title: str, body: str) -> "Evidence":
        """What the text of an issue says."""
        text = f"{title}\n{body}"
        return cls(
            messages=frozenset(_messages(title, text)),
            functions=frozenset(_functions(text)),
            passes=frozenset(_passes(text)),
            ops=ops_of(text),
            words=words_of(text),
            targets=frozenset(_PROGRAM.findall(text)) | words_with_digits(text),
        )


def _no_symbols(module: str) -> Symbols | None:
    return None


def ops_of(text: str) -> frozenset[str]:
    """The names of ops in a program, or in any text, without those in almost every program.

    >>> sorted(ops_of('%0 = "a.b"(%x) : (!c.d) -> i1 loc("x.y")\\n func.return // e.f'))
    ['a.b']
    """
    bare = _COMMENT.sub("", _STRING.sub("", text)).replace('"', " ")
    return frozenset(name for name in _OP.findall(bare) if not is_ordinary(name))


def spelled(name: str) -> str:
    """The name of a pass as on a command line, whether it is that or its C++ class.

    >>> spelled("GPUPadOperandsPass"), spelled("--convert-arith-to-spirv"), spelled("(n)::CSE")
    ('gpu-pad-operands', 'convert-arith-to-spirv', 'cse')
    """
    plain = name.rpartition("::")[2].lstrip("-")
    return _HUMP.sub("-", plain.removesuffix("Pass")).lower()


def passes_named(text: str) -> list[str]:
    """What may be the name of a pass in a text or on a command line: words with dashes.

    >>> passes_named("--pass-pipeline=builtin.module(func.func(x-fold-dims{a=b-c}))")
    ['pass-pipeline', 'x-fold-dims', 'b-c']
    """
    return _PASS_NAME.findall(text)


def words_of(text: str) -> frozenset[str]:
    """The words of at least four letters, in lower case."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def words_with_digits(text: str) -> frozenset[str]:
    """Words that may be targets, such as `gfx942` or `sm_80`."""
    return frozenset(re.findall(r"\b(?=[a-z_]*\d)[a-z]{2,}[a-z_]*\d+[a-z]?\b", text))


def _messages_of(signature: Signature) -> Iterator[str]:
    """The message without the place of an assertion, which other builds and titles leave out.

    Of one that another led to, both, since an issue may have either.
    """
    for one in signature.template.split(LED_TO):
        condition = signature.kind.traits.condition
        yield re.sub(r"(?: in \S+(?= at ))? (?:in|at) \S+$", "", one) if condition else one


def is_telling(message: str) -> bool:
    """Whether a message may distinguish a failure: it is more than the name of a signal.

    >>> is_telling("SIGSEGV"), is_telling("!seenKernel"), is_telling("failed to bufferize op")
    (False, True, True)
    """
    return len(message) > 8 and not message.isalnum()


def _messages(title: str, text: str) -> Iterator[str]:
    """The lines that may be messages, as templates and, for assertions, as they are."""
    yield from (template_of(title), " ".join(title.split()))
    if (words := abnormal_exit(text, 1)) is not None and words.template:
        yield words.template
    for line in text.splitlines():
        if len(line) <= _LONGEST_LINE and _SAYS.search(line):
            yield template_of(_LOCATED.sub("", line.strip().strip("`> ")))
            if "ssertion" in line:
                yield " ".join(line.split())


def _functions(text: str) -> Iterator[str]:
    """The functions on the stack, and those that the text names."""
    yield from distinctive(name_frames(parse_stack(text), _no_symbols))
    yield from _QUALIFIED.findall(text)


def _passes(text: str) -> Iterator[str]:
    yield from passes_named(text)
    for pattern in (_PASS_CLASS, _DUMP):
        for name in pattern.findall(text):
            yield spelled(name)
