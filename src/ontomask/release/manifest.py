"""Manifest of a result: versions, and fingerprints of all input and output files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ontomask.files.fingerprints import sha256, states_of, versions

if TYPE_CHECKING:
    from ontomask.release.result import Result


def changed_files(result: Result) -> list[str]:
    """The files that a run read and that are not what they were, by the part they play."""
    read = result.prepared.input
    found = ["data"] if read is not None and read.changed else []
    now = states_of(result.policy.named_files())
    return found + [part for part, state in result.prepared.named.items() if now.get(part) != state]


def manifest_of(result: Result) -> dict[str, Any]:
    """The facts of a run, without a clock: the same run gives the same manifest."""
    own, python, libraries = versions()
    prepared = result.prepared
    read, source = prepared.input, prepared.source
    taxonomies = {
        name: {"name": taxonomy.name, "concepts": len(taxonomy), "fingerprint": taxonomy.fingerprint}
        for name, taxonomy in prepared.taxonomies.items()
    }
    files = result.policy.named_files()
    changed = changed_files(result)
    return {
        "ontomask": own,
        "python": python,
        "libraries": libraries,
        "input": {
            "file": None if source is None else source.name,
            "sha256": None if read is None else read.sha256,
            "records": len(prepared.kept),
        },
        "released_records": len(result.records),
        "explicit_seed": result.secret.explicit,
        "satisfied": result.satisfied,
        "promises": result.promises,
        "taxonomies": taxonomies,
        "named_files": {part: {"file": path.name, "sha256": sha256(path)} for part, path in files.items()},
    } | ({"changed_since_read": changed} if changed else {})
