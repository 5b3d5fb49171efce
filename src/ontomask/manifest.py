"""What a result was made of: versions, seed, and the fingerprints of what went in and came out."""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.microdata.attributes import Nominal

if TYPE_CHECKING:
    from ontomask.result import Result

#: Libraries whose version may show in a result.
LIBRARIES = ("numpy", "scipy", "polars", "numba", "pydantic")


def manifest_of(result: Result) -> dict[str, Any]:
    """The facts of a run, without a clock: the same run gives the same manifest."""
    from ontomask import __version__

    prepared, source = result.prepared, result.prepared.source
    taxonomies = {
        name: {"name": taxonomy.name, "concepts": len(taxonomy), "fingerprint": taxonomy.fingerprint}
        for name, attribute in result.policy.attributes.items()
        if isinstance(attribute, Nominal) and name in result.policy.studied
        for taxonomy in (attribute.load(),)
    }
    return {
        "ontomask": __version__,
        "python": platform.python_version(),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "input": {
            "file": None if source is None else source.name,
            "sha256": None if source is None else sha256(source),
            "records": len(prepared.kept),
        },
        "released_records": len(result.records),
        "seed": result.seed,
        "satisfied": result.satisfied,
        "taxonomies": taxonomies,
        "named_files": {file.name: sha256(file) for file in _named_files(result)},
    }


def _named_files(result: Result) -> list[Path]:
    """The files that the policy names: taxonomies, mappings, hierarchies."""
    names: list[Any] = []
    for attribute in result.policy.attributes.values():
        if isinstance(attribute, Nominal):
            names += [attribute.taxonomy, attribute.mapping]
    names += [getattr(one, "path", None) for one in getattr(result.policy.method, "hierarchies", {}).values()]
    files = [Path(name) for name in names if isinstance(name, str)]
    return sorted({file for file in files if file.is_file()})


def sha256(file: Path) -> str | None:
    """The hash of a file; None if it is not there any more."""
    digest = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()
