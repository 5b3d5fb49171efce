"""Finished runs of a comparison, kept in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ontomask import __version__
from ontomask.comparison.evaluation import Ground, Run
from ontomask.errors import OutputError
from ontomask.files.fingerprints import sha256
from ontomask.files.named_files import named_files
from ontomask.files.writing import create_folder, write_text
from ontomask.kinds.nominal import VECTORS_FILE
from ontomask.policy.policy import Policy
from ontomask.severity.severity import Severity
from ontomask.taxonomy.taxonomy import Taxonomy

#: What is kept of a run is of this kind; an earlier kind is not read.
KEPT = 6


class Memory:
    """Runs kept in a folder, so that a comparison that was stopped goes on where it was.

    A run is known by the data, the policy, the seed, what it is judged on and the version of ontomask, not by its name.
    Its figures tell of the original data: only the owner can read what is kept.
    """

    def __init__(self, folder: Path, data: str, ground: Ground, seed: int | None) -> None:
        columns = {name for union in ground.unions for name in union}
        judges = {
            name: attribute
            for name, attribute in ground.attributes.items()
            if name in columns or attribute.quasi or attribute.role == "sensitive"
        }
        files = [file for attribute in judges.values() for _, file in named_files(attribute)]
        vectors = VECTORS_FILE.name_in(ground.options)
        files += [] if vectors is None else [Path(vectors)]
        judged = [_plain([ground.unions, judges, ground.measure, ground.options]), *map(sha256, files)]
        self.folder = folder
        self._with = f"{__version__} {KEPT}\n{data}\n{json.dumps(judged, sort_keys=True)} seed {seed}"
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            if not folder.is_dir():
                create_folder(folder)
        except OSError as problem:
            raise OutputError(
                "the folder cannot be used", where=str(folder), remedy="Choose another place."
            ) from problem

    def _file(self, policy: Policy) -> Path:
        key = hashlib.sha256(f"{self._with}\n{_fingerprint(policy)}".encode()).hexdigest()[:24]
        return self.folder / f"run-{key}.json"

    def find(self, name: str, policy: Policy) -> Run | None:
        """A run of the same kind, if it was done; what cannot be read is done again."""
        try:
            content = json.loads(self._file(policy).read_text(encoding="utf-8"))
            run = Run(**{**content, "name": name})
        except (OSError, ValueError, TypeError):
            return None
        return run if run.error is not None or (isinstance(run.on, dict) and run.on) else None

    def keep(self, run: Run, policy: Policy) -> None:
        """Remember a run, unless it says more of this machine at this time than of the candidate."""
        if run.failure == "died":
            return
        text = json.dumps(run.to_dict(), ensure_ascii=False, indent=1)
        write_text(text, self._file(policy), overwrite=True)


def _fingerprint(policy: Policy) -> str:
    """A policy as text: the same for the same meaning, whatever objects it is made of."""
    files = {role: sha256(file) for role, file in policy.named_files().items() if file != policy.path}
    return json.dumps([_plain(policy), files], sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Taxonomy):
        return value.fingerprint
    if isinstance(value, Severity):
        return _plain(value.definition)
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else repr(value)
