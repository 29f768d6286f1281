"""Edits of a module: record the changes, then render new text.

A `Rewrite` collects removals, substitutions, stubs and signature changes for one immutable `Module`
and turns them into span replacements in one linear pass. Aliases and resource blobs that become
unreferenced are dropped from the result.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

from reducer.ir.attribute_tree import items_of, without_items
from reducer.ir.function_types import read_function_type
from reducer.ir.functions import (
    end_of_block,
    entry_block,
    is_function,
    type_entry,
    unreachable_blocks,
)
from reducer.ir.lexer import ALIAS, INSIDE_STRING, NAME
from reducer.ir.module import NONE, Alias, Module
from reducer.ir.retype import (
    RESULT_SEGMENT_SIZES,
    SEGMENT_SIZES,
    function_returning,
    ops_mentioning,
    retype_label,
    retype_op,
    segment_sizes_without,
)
from reducer.ir.syntax import Edit, Entry, Span, split_array

_FRESH = re.compile(r"%s(\d+)\b")


@dataclass(frozen=True, slots=True)
class Returned:
    """A value that a function returns; `was` is its old result number, or None if it is new."""

    token: str
    type: str
    was: int | None = None


@dataclass(slots=True)
class _SignatureEdits:
    """Changes to the arguments of a function."""

    added: list[tuple[str, str]] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)


_Parts = tuple[tuple[str, ...] | None, tuple[str, ...] | None]
"""The new types of a function's arguments and of its results; None if they stay."""


class Rewrite:
    """Changes to a module, rendered by `render`. Methods may be called in any order."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.removed: set[int] = set()
        self._substitutes: dict[int, str] = {}
        self._stand_ins: dict[int, int] = {}
        self._types: dict[int, str] = {}
        self._dropped_operands: dict[int, set[int]] = {}
        self._dropped_results: dict[int, set[int]] = {}
        self._dropped_arguments: dict[int, set[int]] = {}  # of blocks
        self._dropped_regions: dict[int, set[int]] = {}
        self._dropped_successors: dict[int, set[int]] = {}
        self._operands: dict[tuple[int, int], str] = {}
        self._signatures: dict[int, _SignatureEdits] = {}
        self._returns: dict[int, Sequence[Returned]] = {}
        self._return_function: dict[int, int] = {}
        self._entries: dict[int, dict[str, str | None]] = {}
        self._function_types: dict[int, _Parts] = {}
        self._spans: list[Edit] = []
        self._fresh: int | None = None

    # ---- changes ---------------------------------------------------------------------------

    def remove(self, op: int) -> None:
        """Remove an op and its regions."""
        self.removed.add(op)

    def substitute(self, value: int, token: str) -> None:
        """Replace all remaining uses of a value with `token`, which must have the same type."""
        self._substitutes[value] = token

    def put_in_place(self, value: int, other: int) -> None:
        """Replace all remaining uses of a value with another, which may get a new name."""
        self._stand_ins[value] = other

    def drop_operand(self, op: int, number: int) -> None:
        """Drop an operand, and update the op's segment sizes, or what its function returns."""
        self._dropped_operands.setdefault(op, set()).add(number)

    def drop_result(self, op: int, number: int) -> None:
        """Drop a result, and update the segment sizes. Its uses must be removed or substituted."""
        self._dropped_results.setdefault(op, set()).add(number)

    def drop_block_argument(self, block: int, number: int) -> None:
        """Drop a block argument. Its uses must be removed or substituted."""
        owner = self.module.t.region_op[self.module.t.block_region[block]]
        if is_function(self.module, owner) and entry_block(self.module, owner) == block:
            self.drop_argument(owner, number)
        else:
            self._dropped_arguments.setdefault(block, set()).add(number)

    def drop_region(self, op: int, number: int) -> None:
        """Drop a region of an op all of whose regions have blocks."""
        self._dropped_regions.setdefault(op, set()).add(number)

    def empty_region(self, op: int, number: int) -> None:
        """Remove the blocks of a region."""
        blocks = self.module.t.region_blocks[self.module.t.regions[op][number]]
        self.replace(
            self.module.t.block_start[blocks[0]], end_of_block(self.module, blocks[-1]), ""
        )

    def drop_successor(self, op: int, number: int) -> None:
        """Drop a target of a branch, its item in each list, and blocks that nothing else reaches.

        What the branch passes to it must be dropped, too.
        """
        self._dropped_successors.setdefault(op, set()).add(number)

    def set_operand(self, op: int, number: int, token: str) -> None:
        """Replace one operand of an op with `token`, which must have the same type."""
        self._operands[op, number] = token

    def set_type(self, value: int, kind: str) -> None:
        """Change the type of a value wherever it is defined, used, passed on or returned."""
        self._types[value] = kind

    def token(self, value: int) -> str:
        """The token for a value after the substitutions made so far."""
        return self._substitutes.get(value, self.module.tokens[value])

    def add_argument(self, function: int, kind: str) -> str:
        """Append an argument of type `kind` to a function, and return its token."""
        token = self.fresh()
        self._signature(function).added.append((token, kind))
        return token

    def drop_argument(self, function: int, number: int) -> None:
        """Drop an argument of a function. Its uses must be removed or substituted."""
        self._signature(function).dropped.add(number)

    def set_returns(self, function: int, terminator: int, values: Sequence[Returned]) -> None:
        """Make a return of a function return these values; all its returns need the same types."""
        self._returns[terminator] = values
        self._return_function[terminator] = function

    def set_entry(self, op: int, name: str, value: str | None) -> None:
        """Set an existing property or attribute of an op; None drops it."""
        self._entries.setdefault(op, {})[name] = value

    def rename(self, op: int) -> None:
        """Give an op's results fresh names."""
        self._name_results(op, self.module.results(op), self._spans)

    def _name_results(self, op: int, values: Sequence[int], edits: list[Edit]) -> None:
        """Keep only these results of an op, and give them a fresh name."""
        if not self.module.results(op):
            return
        header = self.module.header(op)
        start = self.module.t.start[op] + len(header) - len(header.lstrip())
        end = self.module.t.start[op] + header.index(" = ")
        if not values:
            edits.append((start, end + len(" = "), ""))
            return
        name = self.fresh()
        many = len(values) > 1
        edits.append((start, end, f"{name}:{len(values)}" if many else name))
        for number, value in enumerate(values):
            self._substitutes[value] = f"{name}#{number}" if many else name

    def hoist(self, op: int, inner: Sequence[int]) -> None:
        """Replace an op with some of the ops in one of its blocks."""
        position = self.module.t.start[op]
        for kept in inner:
            self._spans.append((position, self.module.t.start[kept], ""))
            position = self.module.t.end[kept]
        self._spans.append((position, self.module.t.end[op], ""))

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a span of the module's original text."""
        self._spans.append((start, end, text))

    def fresh(self) -> str:
        """A value name that is not used in the module."""
        if self._fresh is None:
            self._fresh = self.module.derived(_first_fresh)
        else:
            self._fresh += 1
        return f"%s{self._fresh}"

    def _signature(self, function: int) -> _SignatureEdits:
        return self._signatures.setdefault(function, _SignatureEdits())

    # ---- rendering -------------------------------------------------------------------------

    def render(self) -> str:
        """The changed module as text in generic form."""
        edits = list(self._spans)
        edits.extend((self.module.t.start[op], self.module.t.end[op], "") for op in self.removed)
        self._keep_blocks(edits)
        self._drop_results(edits)
        self._drop_regions(edits)
        self._substitutes |= {old: self.token(new) for old, new in self._stand_ins.items()}
        self._edit_types(edits)
        self._drop_successors(edits)
        for function, change in self._signatures.items():
            self._edit_entry_label(function, edits)
            self._edit_function_type(function, change)
        for terminator, values in self._returns.items():
            self._edit_return(terminator, values, edits)
        self._edit_operands(edits)
        self._write_function_types()
        for op in self._entries:
            self._edit_dictionaries(op, edits)
        return prune_unreferenced(self.module, _apply(self.module.text, edits))

    def _keep_blocks(self, edits: list[Edit]) -> None:
        """Label unlabeled blocks that lose all their ops; otherwise their region would be empty."""
        t = self.module.t
        for block in {t.block[op] for op in self.removed} - {NONE}:
            if t.block_label_end[block] == NONE and self.removed.issuperset(t.block_ops[block]):
                edits.append((t.block_start[block], t.block_start[block], "^bb0:\n"))

    def _drop_results(self, edits: list[Edit]) -> None:
        for op, gone in self._dropped_results.items():
            kept = [v for number, v in enumerate(self.module.results(op)) if number not in gone]
            self._name_results(op, kept, edits)
            for name, sizes in segment_sizes_without(self.module, op, gone, RESULT_SEGMENT_SIZES):
                self.set_entry(op, name, sizes)

    def _drop_regions(self, edits: list[Edit]) -> None:
        module, t = self.module, self.module.t
        for op, gone in self._dropped_regions.items():
            blocks = [t.region_blocks[region] for region in t.regions[op]]
            spans = [(t.block_start[b[0]], end_of_block(module, b[-1])) for b in blocks]
            kept = [number for number in range(len(spans)) if number not in gone]
            if not kept:
                start = t.start[op] + module.header(op).rindex(" ({")
                edits.append((start, t.tail_start[op] + module.tail(op).index("})") + 2, ""))
                continue
            starts = [spans[before + 1][0] for before in kept[:-1]]
            ends = [spans[number][0] for number in kept[1:]]
            edits.extend((a, b, "") for a, b in zip(starts, ends, strict=True) if a < b)
            edits.append((spans[0][0], spans[kept[0]][0], ""))
            edits.append((spans[kept[-1]][1], spans[-1][1], ""))

    def _drop_successors(self, edits: list[Edit]) -> None:
        t, left = self.module.t, dict[int, list[int]]()
        for op, gone in self._dropped_successors.items():
            targets, start = t.successors[op], t.operands_end[op] + len(")[")
            left[op] = [number for number in range(len(targets)) if number not in gone]
            kept = ", ".join(targets[number] for number in left[op])
            edits.append((start, start + len(", ".join(targets)), kept))
            for entry in self.module.syntax(op).entries:
                value = self._entries.get(op, {}).get(entry.name) or entry.value
                less = len(targets) - len(items_of(value) or ())
                if less in (0, 1) and entry.name not in SEGMENT_SIZES:
                    places = {number - less for number in gone}
                    self.set_entry(op, entry.name, without_items(value, places))
        for block in unreachable_blocks(self.module, left):
            edits.append((t.block_start[block], end_of_block(self.module, block), ""))

    def _edit_types(self, edits: list[Edit]) -> None:
        """Write new types. Function types are edited along with other signature changes."""
        module, t = self.module, self.module.t
        renamed = ops_mentioning(module, self._types)
        renamed |= self._dropped_operands.keys() | self._dropped_results.keys()
        for op in renamed - self._returns.keys():
            gone = self._dropped_operands.get(op, ())
            gone_results = self._dropped_results.get(op, ())
            if edit := retype_op(module, op, self._types, gone, gone_results):
                edits.append(edit)
            for name, sizes in segment_sizes_without(module, op, gone) if gone else ():
                self.set_entry(op, name, sizes)
            function = function_returning(module, op)
            if function is not None:
                typed = zip(t.operands[op], module.syntax(op).operand_types, strict=True)
                kept = [
                    Returned("", self._types.get(value, kind), number)
                    for number, (value, kind) in enumerate(typed)
                    if number not in gone
                ]
                self._set_function_results(function, kept)
        changed = {t.def_block[value] for value in self._types} - {NONE}
        for block in changed | self._dropped_arguments.keys():
            owner = t.region_op[t.block_region[block]]
            if is_function(module, owner) and entry_block(module, owner) == block:
                self._signature(owner)
                continue
            gone = self._dropped_arguments.get(block, ())
            if edit := retype_label(module, block, self._types, gone):
                edits.append(edit)

    def _edit_operands(self, edits: list[Edit]) -> None:
        uses = self.module.uses
        changed = {op for value in self._substitutes for op, _ in uses[value]}
        changed |= self._dropped_operands.keys() | {op for op, _ in self._operands}
        t = self.module.t
        for op in changed:
            if op in self._returns:
                continue
            tokens = self.module.text[t.operands_start[op] : t.operands_end[op]].split(", ")
            for number, value in enumerate(t.operands[op]):
                token = self._operands.get((op, number)) or self._substitutes.get(value)
                if token is not None:
                    tokens[number] = token
            gone = self._dropped_operands.get(op, ())
            tokens = [token for number, token in enumerate(tokens) if number not in gone]
            edits.append((t.operands_start[op], t.operands_end[op], ", ".join(tokens)))

    def _edit_return(self, terminator: int, values: Sequence[Returned], edits: list[Edit]) -> None:
        module, t = self.module, self.module.t
        tokens = ", ".join(v.token for v in values)
        types = ", ".join(v.type for v in values)
        edits.append((t.operands_start[terminator], t.operands_end[terminator], tokens))
        span = module.syntax(terminator).types_span
        if span is not None:
            edits.append((*span, f"({types}) -> ()"))
        function = self._return_function[terminator]
        self._set_function_results(function, values)

    def _set_function_results(self, function: int, values: Sequence[Returned]) -> None:
        self._override_function_type(function, results=[v.type for v in values])
        entry = self.module.syntax(function).property("res_attrs")
        old = split_array(entry.value) if entry else None
        if old is not None:
            kept = [old[v.was] if v.was is not None and v.was < len(old) else "{}" for v in values]
            self._set_attribute_array(function, "res_attrs", kept)

    def _edit_function_type(self, function: int, change: _SignatureEdits) -> None:
        inputs = [kind for _, kind in self._arguments(function)]
        self._override_function_type(function, inputs=inputs)
        entry = self.module.syntax(function).property("arg_attrs")
        old = split_array(entry.value) if entry else None
        if old is not None:
            kept = [a for n, a in enumerate(old) if n not in change.dropped]
            self._set_attribute_array(function, "arg_attrs", kept + ["{}"] * len(change.added))

    def _override_function_type(
        self,
        function: int,
        inputs: Iterable[str] | None = None,
        results: Iterable[str] | None = None,
    ) -> None:
        ins, outs = self._function_types.get(function, (None, None))
        ins = ins if inputs is None else tuple(inputs)
        outs = outs if results is None else tuple(results)
        self._function_types[function] = ins, outs

    def _write_function_types(self) -> None:
        for function, (inputs, results) in self._function_types.items():
            entry = type_entry(self.module, function)
            before = None if entry is None else read_function_type(entry.value)
            if entry is not None and before is not None:
                ins = before.inputs if inputs is None else inputs
                outs = before.results if results is None else results
                self.set_entry(function, entry.name, before.write(ins, outs))

    def _set_attribute_array(self, function: int, name: str, items: list[str]) -> None:
        empty = all(item == "{}" for item in items)
        self.set_entry(function, name, None if empty else f"[{', '.join(items)}]")

    def _arguments(self, function: int) -> list[tuple[str, str]]:
        block = entry_block(self.module, function)
        change = self._signatures.get(function, _SignatureEdits())
        kept: list[tuple[str, str]] = []
        if block is not None and self.module.t.block_label_end[block] != NONE:
            values = self.module.block_args(block)
            arguments = zip(values, self.module.block_arguments(block), strict=True)
            kept = [
                (token, self._types.get(value, kind))
                for n, (value, (token, kind)) in enumerate(arguments)
                if n not in change.dropped
            ]
        return kept + change.added

    def _label(self, block: int) -> str:
        t = self.module.t
        return self.module.text[t.block_start[block] : t.block_label_end[block]]

    def _edit_entry_label(self, function: int, edits: list[Edit]) -> None:
        block = entry_block(self.module, function)
        if block is None:
            return
        t = self.module.t
        start = t.block_start[block]
        end = t.block_label_end[block] if t.block_label_end[block] != NONE else start
        arguments = ", ".join(f"{token}: {kind}" for token, kind in self._arguments(function))
        header = self.module.header(function)
        indent = header[: len(header) - len(header.lstrip())]
        label = f"{indent}^bb0({arguments}):\n" if arguments else ""
        if end > start and (name := self._label(block).strip().split("(")[0].rstrip(":")) and label:
            label = label.replace("^bb0", name, 1)
        edits.append((start, end, label))

    def _edit_dictionaries(self, op: int, edits: list[Edit]) -> None:
        syntax = self.module.syntax(op)
        changes = self._entries[op]
        for entries, span, opening, closing in (
            (syntax.properties, syntax.properties_span, "<{", "}>"),
            (syntax.attributes, syntax.attributes_span, "{", "}"),
        ):
            if span is None or not any(e.name in changes for e in entries):
                continue
            texts = [t for e in entries if (t := self._entry_text(e, changes)) is not None]
            if texts:
                edits.append((*span, opening + ", ".join(texts) + closing))
            else:
                edits.append((*self._with_space_before(span), ""))

    def _entry_text(self, entry: Entry, changes: dict[str, str | None]) -> str | None:
        if entry.name not in changes:
            return self.module.text[entry.span[0] : entry.span[1]]
        value = changes[entry.name]
        if value is None:
            return None
        return self.module.text[entry.span[0] : entry.value_span[0]] + value

    def _with_space_before(self, span: Span) -> Span:
        start = span[0]
        return (start - 1 if self.module.text[start - 1] == " " else start, span[1])


def edited(module: Module, edits: Iterable[Edit]) -> str:
    """The text after edits that may be anywhere, even in aliases, without those then unused."""
    edits, t = list(edits), module.t
    if all(t.start[0] <= start and end <= t.end[0] for start, end, _ in edits):
        rewrite = Rewrite(module)
        for edit in edits:
            rewrite.replace(*edit)
    else:
        rewrite = Rewrite(Module.parse(_apply(module.text, edits)))
    return rewrite.render()


def _first_fresh(module: Module) -> int:
    return max(map(int, _FRESH.findall(module.text)), default=-1) + 1


def _apply(text: str, edits: Iterable[Edit]) -> str:
    """Replace spans. Insertions precede replacements; a wider span overrides those inside it."""
    out: list[str] = []
    position = 0
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[0] != e[1], -e[1])):
        if start < position:
            continue
        out.append(text[position:start])
        out.append(new)
        position = end
    out.append(text[position:])
    return "".join(out)


_ALIAS_USE = re.compile(ALIAS)
_RESOURCE_USE = re.compile(rf'dense_resource<(?:"({INSIDE_STRING})"|([^>"]+))>')
_RESOURCE_ENTRY = re.compile(rf'^\s+(?:"({INSIDE_STRING})"|({NAME})): "0x[0-9A-Fa-f]*",?$')


def prune_unreferenced(module: Module, text: str) -> str:
    """The text, a rendered edit of `module`, without unused alias definitions and blobs."""
    head = [alias for alias in module.t.aliases if alias.start < module.t.start[0]]
    last = module.t.aliases[len(head) :]  # those of locations are printed behind the ops
    body, behind = text[head[-1].end if head else 0 :], ""
    if module.t.resources is not None:
        at = body.rindex("{-#")
        body, behind = body[:at], _prune_resources(body[:at], body[at:])
    if last:
        definitions = module.text[last[0].start : last[-1].end]
        at = body.rindex(definitions)  # no edit reaches there
        body, behind = body[:at], body[at + len(definitions) :] + behind
    if not module.t.aliases:
        return body + behind
    kept = _used_aliases(module, body)
    return _definitions(module, head, kept) + body + _definitions(module, last, kept) + behind


def _definitions(module: Module, aliases: Iterable[Alias], kept: Container[str]) -> str:
    return "".join(module.text[a.start : a.end] for a in aliases if a.name in kept)


def _used_aliases(module: Module, body: str) -> set[str]:
    """Aliases used in the body, directly or through the definitions of other aliases."""
    definitions = {a.name: module.text[a.start : a.end] for a in module.t.aliases}
    waiting = [name for name in set(_ALIAS_USE.findall(body)) if name in definitions]
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        kept.add(name)
        waiting.extend(n for n in _ALIAS_USE.findall(definitions[name]) if n in definitions)
    return kept


def _prune_resources(body: str, section: str) -> str:
    used = {quoted or bare for quoted, bare in _RESOURCE_USE.findall(body)}
    out: list[str] = []
    entries = 0
    for line in section.split("\n"):
        match = _RESOURCE_ENTRY.match(line)
        if match:
            if (match.group(1) or match.group(2)) not in used:
                continue
            entries += 1
            out.append(line.rstrip(","))
        else:
            out.append(line)
    if not entries:
        return ""
    for i in range(len(out) - 1):  # restore the commas between entries
        if _RESOURCE_ENTRY.match(out[i]) and _RESOURCE_ENTRY.match(out[i + 1]):
            out[i] += ","
    return "\n".join(out)
