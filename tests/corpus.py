"""A corpus of runs, to see that a change of the code changes no release and no figure.

    python -m tests.corpus write before.json             before the change
    python -m tests.corpus compare before.json           after it: every difference is listed

Every run has a fixed seed: random tables of all kinds of columns, with all methods, models and file formats (those of the
fuzz), and the demo discharges with every method of the contract suite. Kept are hashes of the released values, of the file as
it is read back, and the figures of the assessment. Texts are not compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ontomask as om
from ontomask.errors import OntomaskError, OntomaskWarning
from ontomask.microdata.frames import NativeFrame
from tests.contract.test_methods import VARIANTS, method
from tests.fuzz.cases import make_case
from tests.fuzz.reading import views

#: What an assessment says in words.
TEXTS = ("readings", "notes")


def runs(cases: int, records: int) -> Iterator[tuple[str, Any]]:
    """The name of each run, and what came of it."""
    for number in range(cases):
        yield f"case {number}", _case(number)
    stays = om.demo_data(records, seed=5)
    for name in VARIANTS:
        aims = [om.KAnonymity(k=5)] if name.startswith("generalization") else []
        yield f"demo, {name}", _outcome(stays, om.demo_policy(method(name, 5)).changed(require=aims))


def _case(number: int) -> Any:
    case = make_case(number)
    found = _outcome(case.frame, case.policy, assess=number % 5 == 0)
    if "release" not in found:
        return found
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / case.file
        try:
            om.anonymize(case.frame, case.policy, seed=number).write(file, **case.options)
        except OntomaskError as problem:
            return found | {"file": type(problem).__name__}
        layout = (case.options.get("delimiter", ","), case.options.get("decimal", "."))
        for written in sorted(Path(folder).iterdir()):  # several, where the method makes several releases
            if written.suffix in (".csv", ".parquet"):
                found[f"bytes of {written.name}"] = _hash(written.read_bytes())
            read = {reader: _hash(repr(rows).encode()) for reader, rows in views(written, [], *layout)}
            found[f"read from {written.name}"] = read
        return found


def _outcome(frame: Any, policy: om.Policy, *, assess: bool = True) -> dict[str, Any]:
    try:
        result = om.anonymize(frame, policy, seed=7)
    except OntomaskError as problem:
        return {"error": type(problem).__name__}
    found: dict[str, Any] = {
        "release": _hash(repr(NativeFrame.of(result.data).data.to_dicts()).encode()),
        "records": _hash(result.records.tobytes()),
        "holds": [finding.holds for finding in result.verification.findings],
    }
    if assess:
        figures = result.assessment.to_dict()
        found["figures"] = {key: value for key, value in figures.items() if key not in TEXTS}
    return found


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def differences(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Where two outcomes differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from differences(before.get(key), after.get(key), f"{at}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{at}/{place}")
    elif before != after:
        yield f"{at}: {before!r} before, {after!r} now"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a corpus of runs, or compare with one.")
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--records", type=int, default=1000)
    options = parser.parse_args()
    warnings.simplefilter("ignore", OntomaskWarning)
    made = dict(runs(options.cases, options.records))
    if options.what == "write":
        options.file.write_text(json.dumps(made, indent=1))
        sys.stdout.write(f"{len(made):,} runs\n")
        return
    kept = json.loads(options.file.read_text())
    told = [text for name in kept for text in differences(kept[name], json.loads(json.dumps(made.get(name))), name)]
    sys.stdout.write("".join(f"{text}\n" for text in told[:200]))
    sys.stdout.write(f"{len(kept):,} runs, {len(told):,} differences\n")
    raise SystemExit(1 if told else 0)


if __name__ == "__main__":
    main()
