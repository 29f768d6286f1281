"""`metadata.json`: the report for programs. Its schema is described in docs/report.md."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

from reducer import __version__
from reducer.bundle.facts import SCHEMA, Facts
from reducer.bundle.target import components, target_of


def metadata(facts: Facts, *, verified: bool) -> dict[str, Any]:
    """Plain values. What `reduce --json` tells is there under the same names."""
    digest = hashlib.sha256(facts.program.encode(errors="surrogateescape")).hexdigest()
    return {
        **facts.history.record,
        "schema": SCHEMA,
        "tool": {"name": "mlir-reducer", "version": __version__},
        "verified": verified,
        "kind": str(facts.signature.kind),
        "signature": facts.signature.text,
        "signature_fields": facts.signature.to_json(),
        "bucket": facts.bucket,
        "command": list(facts.command),
        "output": {
            "path": "repro.mlir",
            "lines": facts.lines,
            "ops": facts.ops,
            "bytes": facts.bytes,
            "sha256": digest,
        },
        "exit_code": facts.exit_code,
        "seconds": round(facts.seconds, 3),
        "messages": list(facts.messages),
        "stack": list(facts.stack),
        "compiler": {
            "name": facts.compiler.name,
            "version": facts.compiler.version,
            "commit": facts.compiler.commit,
            "assertions": facts.compiler.assertions,
            "package": facts.compiler.package,
            "told": list(facts.compiler.lines),
        },
        "target": list(target_of(facts.check.words)),
        "components": list(components(facts.compiler.name, facts.pass_name, facts.signature.op)),
        "pass": facts.pass_name,
        "pass_level": facts.pass_file and facts.pass_file.to_json(),
        "boundary": facts.boundary
        and [{**asdict(fact), "verdict": str(fact.verdict)} for fact in facts.boundary],
        "versions": facts.versions and [asdict(one) for one in facts.versions],
        "turns": list(facts.turns),
        "source": facts.source,
        "files": sorted(facts.files),
        "notes": list(facts.notes),
    }


def metadata_text(facts: Facts, *, verified: bool) -> str:
    """The same as JSON. Keys are sorted, so that equal reports are equal files."""
    return json.dumps(metadata(facts, verified=verified), indent=2, sort_keys=True) + "\n"
