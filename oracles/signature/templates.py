"""Turn a message into a template that is equal for all inputs that show the same bug.

Removed: SSA names, operand numbers, shapes, element types, sizes, addresses, paths, locations,
symbol names and printed operations. Kept: the words and the names of operations.
"""

import re

from oracles.rows import pattern_of, row_of
from oracles.signature.printed_ir import carried_name, fold_llvm_ir

MAX_TEMPLATE_LENGTH = 300
"""The maximum length of a template; more text does not help to distinguish bugs."""

_MESSAGE_READ = 4 << 10

_ADDRESS = row_of(r"\b0x[0-9a-fA-F]+\b", "llvm/cannot-select")
HASH = re.compile(
    r"(?<![\w.#@%$!-])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b"
    r"|(?<![\w.#@%$!])(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{8,}(?!\w)"
    r"|(?<=\w-)[\da-f]{6}(?=\.[a-z])"
)
"""A UUID, a digest, which has figures and letters, or what LLVM's `createTemporaryFile` adds."""
_SELECTION = "Cannot select: "
_NODE = row_of(r"\bt\d+(?=:\d|:?\s|,|$)", "llvm/split-node")
_PRINTED_OPERATION = pattern_of(
    # `%0 = "a.b"(`, `%0:2 = a.b`
    (r"%[^\s=,]+(?:, ?%[^\s=,]+)* = \"?[a-z].*", "asm-vmvx/asm-3.13.0"),
    # `"a.b"(%1`, `"a.b"(<<UNKNOWN SSA VALUE>>`, `"a.b"() <{`, `"a.b"() : (`
    (r"\"[\w.$-]+\"\((?:[%<]|\) (?:[<{(]|: \()).*", "mlir/barrier"),
    within=r":?\s+(?P<op>{rows})$",
    flags=re.S,
)
_NAMED = row_of(
    r"(?P<sigil>[!#])?\b(?P<name>[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)(?=<)|"
    r"!(?P<bare>[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+)",
    "memref-boundary/memref-arg-3.13.0",
)
_OPAQUE = row_of(
    r"^`?(?P<sigil>[!#])\"(?P<dialect>[\w$]+)\"<\".*?(?:\">(?=`| : | [a-z])|$)`?",
    "mlir/opaque-type",
)
_SHAPED = {"tensor", "vector", "memref", "complex", "tuple", "ptr", "array", "struct", "opaque"}
_ATTRIBUTES = {"affine_map", "affine_set", "dense", "dense_resource", "sparse", "strided"}
# `(d0, d1)[s0] -> (d0 + s0, d1 mod 2)`, without the word for it
_AFFINE_MAP = row_of(
    r"(?<!affine_map<)\((?:d\d+(?:, d\d+)*)?\)(?:\[s\d+(?:, s\d+)*\])? -> "
    r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\b[ds]\d(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)",
    "mlir/indexing-maps",
)
_PATH_OF_NAMES = pattern_of(
    (r"\.\{[^{}\s]+(?: <- [^{}\s]*)+ ?\}", "circt/cycle-in-braces"),
    (r"(?: <- [\w.$]*)+", "circt/cycle"),
    within=r"[\w.$]+(?:{rows})",
)
# XLA's: `f32[2,3]{1,0}`, `pred[]`
_XLA_SHAPE = row_of(
    r"(?<![\w.%@])(?:pred|token|opaque|[su](?:2|4|8|16|32|64)|bf16|f(?:8\w+|16|32|64)|c(?:64|128))"
    r"\[(?:<=)?(?:\d+(?:,(?:<=)?\d+)*)?\](?:\{[\d,]*(?::[^{}]*)?\})?",
    "xla/has-layout",
)
# `(arg.2: (s32[4], pred[])) -> pred[]`: those of a tuple and of a computation
_XLA_SHAPES = row_of(
    r"\((?:[\w.%-]+: )?<type>(?:, (?:[\w.%-]+: )?<type>)*\)(?: -> <type>)?|<type> -> <type>",
    "xla/while-shapes",
)
# `region_1.1`, `get-tuple-element.3.clone`: what XLA calls an instruction or a computation
_XLA_NAME = row_of(
    r"(?<![\w.%@'\"`!#/-])[A-Za-z_]{2}[\w-]*\.\d+(?:\.(?:clone|remat|\d+)\d*)*(?!\w|\.\w)",
    "xla/map-key",
)
_SCALAR = pattern_of(
    (
        r"(?:nx)?(?:v\d+)?(?:[su]?i\d+|b?f\d+(?:E\d+M\d+\w*)?|tf32)",
        "llvm/cannot-select",
    ),
    (
        r"(?:(?:torch|numpy|np|jnp|tf)\.)?"
        r"(?:(?:u?int|b?float|complex)\d+(?:_e\d+m\d+\w*)?|fp\d+(?:e\d\w*)?)",
        "triton/fp8",
    ),
    within=r"(?<![\w.#%@/-])(?:{rows})(?![\w.])",
)
_QUOTED = pattern_of(
    (r"(?<!\w)'([^'\n]*)'(?!\w)", "circt/invalid-op"),  # an apostrophe inside a word quotes nothing
    (r"`([^'`\n]*)['`]", "mlir/property"),
    (r"\"([^\"\n]*)\"", "tvm/datatypes"),
)
_OPERATION_WORD = row_of(r"(?<![\w.])[a-z_][\w$]*(?:\.[a-z_*][\w$*]*)+(?![\w(])", "circt/verify")
_OP_NAME = row_of(
    r"[A-Za-z_][\w$]*\.[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*", "circt/verify"
)  # rocdl.mfma.f32.4x4x1f32
_NAMED_OPERATION = row_of(
    r"\bop(?:eration)?: ([A-Za-z_][\w$]*(?:\.[\w$-]+)+)$", "triton/translation"
)
"""`LLVM Translation failed for operation: a.b`"""
_CPP_NAME = row_of(
    r"(?:\(anonymous namespace\)|[A-Za-z_]\w*)(?:::~?[A-Za-z_]\w*)+(?:\(\))?", "mlir/not-legalized"
)
_CONSTANT_FAMILY = row_of(
    r"^([a-z_][\w$]*(?:\.[\w$]+)*\.constant)\.[\w$]+$", "topk-unsorted/expert-3.13.0"
)
# `iree/runtime/src/iree/hal/task.c:72`: of the checkout that the compiler was built from
_OWN_SOURCE = row_of(
    r"(?<![\w./])(?:[\w.+-]*[/\\])+([\w.+-]+\.(?:c|cc|cpp|cxx|h|hpp|inc|td)):\d+(?::\d+)?",
    "flang/not-implemented",
)
_INTRINSIC = row_of(
    r"(?:[%@]|(?<![\w.!#'\"]))(llvm(?:\.[a-z_][a-z_\d]*)+)", "llvm/illegal-intrinsic"
)
_SELECTION_NODE = row_of(
    r"<addr>: (?P<types>[^=]*?) = (?P<opcode>[\w:.]+)(?P<rest>.*)$", "llvm/cannot-select"
)
# What a compiler writes for one function or executable goes by its name
_ARTIFACT = row_of(
    r"(?<![\w.$'\"/])[\w$-][\w$.-]*"
    r"\.(?:mlir|mlirbc|ll|bc|o|obj|spv|spvasm|ptx|cubin|hsaco)\b(?![.(\w])",
    "linkers/lld-no-file",
)
# Only if the program has debug information: `inline assembly requires more registers at line 17`
_AT_LINE = row_of(r",? (?:at|on|in) line \d+(?:,? col(?:umn)? \d+)?$", "llvm/register")
# `Check failed: (n == 1) is false: but it is 3`: the condition says enough, if it is one
_CHECKED = row_of(
    r"(?P<condition>\bCheck failed: \((?!(?:false|0)\)).*?\) is false): .*", "tvm/storage"
)
_CONVERTED = row_of(r"(?<=\bin property conversion: ).*", "mlir/property")
"""The attribute that does not fit the property of an op, of which the message has the name."""
_REFERENCE = row_of(r"\s*(?:does not reference|is undefined)\b", "mlir/callee")
_SYMBOL_WORD = row_of(
    r"\b(?:function|symbol|callee|named?|global|variable|label|block|value|alias|file"
    r"|sink|port|wire|register|instance|signal|net)\s*$",
    "llvm/named-tool",
)


def template_of(message: str) -> str:
    """The template of a diagnostic's message.

    >>> template_of("'rocdl.readlane' op operand #0 must be a type, but got 'f8E4M3FNUZ'")
    "'rocdl.readlane' op operand #N must be a type, but got <type>"
    >>> template_of("uses 36028797018963968 bytes of shared memory in @f")
    'uses N bytes of shared memory in @<name>'
    """
    text = message.strip().split("\n", 1)[0][:_MESSAGE_READ]
    text = _CHECKED.sub(r"\g<condition>", text)
    text = _CONVERTED.sub("<attr>", text)
    text = _OPAQUE.sub(r"\g<sigil> of dialect '\g<dialect>'", text)
    text = fold_addresses(without_printed_operation(fold_llvm_ir(text)))
    if match := _SELECTION_NODE.search(text):
        return text[: match.start()] + _selection_node(match)
    text = fold_locations(text)
    if " <- " in text:
        text = _PATH_OF_NAMES.sub("<names>", text)
    text = _fold_brackets(_fold_xla_shapes(_AFFINE_MAP.sub("<attr>", text)))
    text = _SCALAR.sub("<type>", text)
    text = _fold_quoted(text)
    text = _fold_names(text)
    text = _fold_numbers(text)
    text = _fold_lists(text)
    return re.sub(r"\s+", " ", text).strip()[:MAX_TEMPLATE_LENGTH]


def quoted_operation(message: str) -> str:
    """The first operation name that the message quotes, folded, or ''."""
    for match in _QUOTED.finditer(message):
        content = match[1] or match[2] or ""
        if _OP_NAME.fullmatch(content) and not _is_symbol(match, message):
            return fold_operation(content)
    return ""


def printed_operation(operation: str) -> str:
    """The name of a printed operation in generic or custom form, folded, or ''.

    >>> printed_operation('%1:2 = "linalg.generic"(%0) ({')
    'linalg.generic'
    """
    match = re.match(r'\s*(?:%[^=]*? = )?"?([A-Za-z_][\w$]*(?:\.[\w$-]+)+)', operation)
    return fold_operation(match[1]) if match else ""


def failing_operation(message: str, operation: str) -> str:
    """The operation that a message quotes or prints or, failing that, the compiler with it.

    An operation that represents another one by name (`torch.operator "onnx.If"`) is reported
    together with that name.

    >>> failing_operation("no", '%0 = "torch.operator"() <{name = "onnx.If"}> : () -> i1')
    'torch.operator "onnx.If"'
    """
    texts = [text for text in (_operation_in(message), operation) if printed_operation(text)]
    named = _NAMED_OPERATION.search(message)
    op = quoted_operation(message) or (fold_operation(named[1]) if named else "")
    op = op or next(map(printed_operation, texts), "")
    names = (carried_name(op, text) for text in texts if printed_operation(text) == op)
    name = next(filter(None, names), "")
    return f'{op} "{name}"' if name else op


def _operation_in(message: str) -> str:
    """The operation that a message prints at its end, or ''."""
    match = _PRINTED_OPERATION.search(message)
    return match["op"] if match else ""


def fold_operation(name: str) -> str:
    """One name for a family of constants, because which of them a failure names is arbitrary.

    >>> fold_operation("torch.constant.int"), fold_operation("arith.constant")
    ('torch.constant.*', 'arith.constant')
    """
    return _CONSTANT_FAMILY.sub(r"\1.*", name)


def essence_of(template: str) -> str:
    """The first clause of a template, for when the operation does not matter.

    >>> essence_of("'a.b' op operand #N must be LLVM dialect-compatible type, but got <type>")
    "'<op>' op operand #N must be LLVM dialect-compatible type"
    """
    text = _OPERATION_WORD.sub("<op>", template)
    text = _QUOTED.sub(lambda match: "'<op>'" if "<op>" in match[0] else "'<name>'", text)
    return re.split(r"; |,? but |, expected |(?<=\w\w): (?=\S)", text, maxsplit=1)[0].strip()


def fold_addresses(text: str) -> str:
    """The text with `<addr>` for pointers and for nodes of a selection graph (`t12`)."""
    text = _ADDRESS.sub("<addr>", text)
    return _NODE.sub("<addr>", text) if _SELECTION in text else text


def without_printed_operation(text: str) -> str:
    """A message without the operation that some compilers print at its end."""
    text = _PRINTED_OPERATION.sub("", text)
    name = quoted_operation(text)
    if name and (at := text.find(f": {name} ")) > 0:
        return text[:at]
    return text


def selection_node(printed: str) -> str:
    """What identifies a node of a selection graph; '' if the text is none.

    >>> selection_node("t12: nxv16f32 = fpow t3, t4")
    '<type> = fpow'
    """
    match = _SELECTION_NODE.search(_NODE.sub("<addr>", printed))
    return _selection_node(match) if match else ""


def _selection_node(match: re.Match[str]) -> str:
    """`ch = store<(...), trunc to v5f16> <addr>, ...`: keep the node, drop its operands."""
    rest, modifiers = match["rest"], ""
    if rest.startswith("<"):
        inner = rest[1 : _closing(rest, 0)]
        while (at := inner.find("(")) >= 0:
            inner = inner[:at] + inner[_closing(inner, at) + 1 :]
        words = [word.strip() for word in inner.split(",")]
        modifiers = "<" + ", ".join(word for word in words if word) + ">"
        rest = ""
    intrinsic = _INTRINSIC.search(rest)
    called = f" {_intrinsic(intrinsic[1])}" if intrinsic else ""
    node = f"{match['types']} = {match['opcode']}{modifiers}{called}"
    return re.sub(r"<type>(?:, ?<type>)+", "<type>", _SCALAR.sub("<type>", node))


def fold_locations(text: str) -> str:
    """The text with `<path>`, `<loc>` and, for digests and temporary names, `<hash>`.

    Sources of the compiler keep their names.

    >>> fold_locations("cannot read /tmp/a-1f2e3d.o and b-1f2e3d.o of 2c26b46b68ffc68f")
    'cannot read <path> and <path> of <hash>'
    """
    text = _OWN_SOURCE.sub(r"\1", text)
    text = re.sub(r"\bloc\((?:\"[^\"]*\"|[^()]|\([^()]*\))*\)", "<loc>", text)
    text = re.sub(r"(?<![\w.])\.{0,2}(?:/[\w.+-]+)+(?::\d+)*", "<path>", text)
    text = re.sub(r"(?<![\w.])[\w-]+\.(?:mlir|mlirbc|cpp|h|td|py|ll|o|so)(?::\d+)+", "<loc>", text)
    text = _AT_LINE.sub("", text)
    return HASH.sub("<hash>", _ARTIFACT.sub("<path>", text))


# Not a lexer for MLIR: a message has only pieces of it, among words, C++ and nodes of LLVM. `//` is
# part of a path there, `=>` closes nothing either, and the text may be cut off anywhere.
def _closing(text: str, start: int) -> int:
    """The index of the bracket that closes the one at `start`, or the last index if none does."""
    pairs = {"<": ">", "(": ")", "{": "}", "[": "]"}
    stack = [pairs[text[start]]]
    index = start + 1
    while index < len(text):
        char = text[index]
        if char == '"':
            end = text.find('"', index + 1)
            index = end if end >= 0 else len(text)
        elif char in pairs:
            stack.append(pairs[char])
        elif char == stack[-1] and not (char == ">" and text[index - 1] in "-="):
            stack.pop()
            if not stack:
                return index
        index += 1
    return len(text) - 1


def _fold_brackets(text: str) -> str:
    """The text with one word for each dictionary, type or attribute with parameters."""
    out: list[str] = []
    index = 0
    while index < len(text):
        match = _NAMED.match(text, index)
        if match is not None and _is_parametric(match):
            end = match.end()
            if end < len(text) and text[end] == "<":
                end = _closing(text, end) + 1
            attribute = match["sigil"] == "#" or match["name"] in _ATTRIBUTES
            out.append("<attr>" if attribute else "<type>")
            index = end
        elif text[index] == "{" and _closing(text, index) > index + 1:
            out.append("{...}")
            index = _closing(text, index) + 1
        elif match is not None:
            out.append(match[0])
            index = match.end()
        else:
            out.append(text[index])
            index += 1
    return "".join(out)


def _is_parametric(match: re.Match[str]) -> bool:
    return bool(match["bare"] or match["sigil"]) or match["name"] in _SHAPED | _ATTRIBUTES


def _fold_xla_shapes(text: str) -> str:
    text, count = _XLA_SHAPE.subn("<type>", text)
    while count:
        text, count = _XLA_SHAPES.subn("<type>", text)
    return text


def _fold_quoted(text: str) -> str:
    return _QUOTED.sub(lambda match: _quoted(match, text), text)


def _quoted(match: re.Match[str], text: str) -> str:
    if text[: match.start()].endswith("@"):
        return match[0]  # a symbol, see _fold_names
    content = next(group for group in match.groups() if group is not None)
    if "<type>" in content or content in ("index", "none"):
        return "<type>"
    if not re.search(r"\w", content):
        return f"'{content}'"
    if content.startswith("--"):  # a flag of the command
        return f"'{content.partition('=')[0]}'"
    if _is_symbol(match, text):
        return "'<name>'"
    if _OP_NAME.fullmatch(content):
        return f"'{fold_operation(_intrinsic(content))}'"
    if _CPP_NAME.fullmatch(content):  # a class of the compiler
        return f"'{content}'"
    before, after = text[: match.start()], text[match.end() :]
    of_operation = r"(?:attribute|property|operand|result|trait|interface|pass)s?"
    if re.search(rf"\b(?:{of_operation}|[Dd]ialect|[Oo]pcode)\s*$", before) or re.match(
        rf"\s*(?:{of_operation}|does not refer to a registered pass)\b", after
    ):
        return f"'{content}'"
    return "'<name>'"


def _is_symbol(match: re.Match[str], text: str) -> bool:
    """Whether what is quoted is a name in the program, by the words before and after it."""
    before = _SYMBOL_WORD.search(text[: match.start()])
    return bool(before or _REFERENCE.match(text, match.end()))


def _fold_names(text: str) -> str:
    text = _INTRINSIC.sub(lambda match: _intrinsic(match[1]), text)
    text = _XLA_NAME.sub("'<name>'", text)
    text = re.sub(r"%[\w$.#:-]*[\w$#]", "%", text)
    text = re.sub(r"@(?:\"[^\"]*\"|[\w$.-]+)(?:::@(?:\"[^\"]*\"|[\w$.-]+))*", "@<name>", text)
    text = re.sub(r"\^[\w$.-]+", "^bb", text)
    text = re.sub(r"\bin function:? (?!')[^\s)]+", "in function '<name>'", text)
    text = re.sub(r"(?<=\(function )[^\s()':]+(?=: )", "'<name>'", text)
    return re.sub(r"\bcallee: (?!')[^\s)]+", "callee: '<name>'", text)


def _intrinsic(name: str) -> str:
    """`llvm.amdgcn.readlane.f16`: the overload suffix is a type. Other names stay as they are."""
    if not name.startswith("llvm."):
        return name
    return re.sub(r"(?:\.(?:nx)?(?:v\d+)?(?:[pi]\d+|b?f\d+))+$", "", name)


def _fold_numbers(text: str) -> str:
    text = re.sub(r"(?<![\w.])-?(?:\d+|\?)(?:x(?:\d+|\?))+", "N", text)
    text = re.sub(r"(?<![\w.])\d+(?:\.\d+)? ?[KMGTP]i?B\b", "N bytes", text)
    return re.sub(r"(?<![\w.$])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w$]*\.[a-z])", "N", text)


def _fold_lists(text: str) -> str:
    # An empty list is one of a shape without dimensions, unless it is quoted as syntax.
    text = re.sub(r"(?<!')\[\s*(?:(?:N|\?|%|-)(?:\s*,\s*(?:N|\?|%|-))*\s*)?\](?!')", "[N]", text)
    text = re.sub(r"(?<!')\{\s*\}(?!')", "{...}", text)
    text = re.sub(r"\bN(?:\s*,\s*N)+\b", "N", text)
    text = re.sub(r"'<name>'(?:[\s,]+'<name>')+", "'<name>'", text)
    text = re.sub(r"'<type>'(?:\s*,\s*'<type>')*", "<type>", text)
    text = re.sub(r"<type>(?:\s*,\s*<type>)+", "<type>", text)
    some = r"\(\s*(?:<type>)?\s*\)"
    return re.sub(rf"{some} -> (?:{some}|<type>)", "<type>", text)
