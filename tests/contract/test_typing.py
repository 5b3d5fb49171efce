"""Settings as type checkers and dictionaries see them: checked constructors, hashes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om
from ontomask.settings import Settings

pytest.importorskip("mypy", reason="the extra 'dev' is not installed")

ROOT = Path(__file__).parents[2]
SNIPPET = """\
import polars as pl

import ontomask as om

om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(5), require=[om.KAnonymity(5)], unlisted="drop")
om.Policy({"age": om.Numeric(), "id": om.Identifier()})
ages = {"age": om.Numeric(), "job": om.Nominal("icd9cm", role="sensitive")}
models = [om.KAnonymity(3), om.LDiversity(2, "job"), om.TCloseness(0.2, "job", ground="equal")]
om.Policy(attributes=ages, method=om.Recoding(3), require=models)
om.KmAnonymity(3, 2)
om.Generalization(hierarchies={"age": om.Intervals(width=5)})
k: int = om.Microaggregation(k=5, partition="mdav").k


def shown(result: om.Result) -> object:
    return result.data


frame = pl.DataFrame({"age": [30, 31, 52, 55]})
released: pl.DataFrame = om.anonymize(frame, om.Policy({"age": om.Numeric()}, method=om.Suppression(2))).data
from_a_file: pl.DataFrame = om.anonymize("stays.csv", "policy.yaml").data
several: list[pl.DataFrame] = om.anonymize(frame, "policy.yaml").releases

om.Policy(attributes={"age": om.Numeric()}, sed=1)  # E: sed
om.Microaggregation(k=5, partition="nonsense")  # E: partition
om.Microaggregation(k="five")  # E: k
om.Microaggregation()  # E: k
om.Nominal()  # E: taxonomy
om.KAnonymity(k=5, m=2)  # E: m
om.Policy(attributes={"age": om.Numeric()}, method=om.KAnonymity(5))  # E: method
om.Numeric(role="quasy")  # E: role
wrong: int = om.anonymize(frame, "policy.yaml").data  # E: DataFrame
om.anonymise(frame, "policy.yaml")  # E: anonymise
"""


@pytest.mark.slow
def test_mypy_checks_the_settings(tmp_path: Path) -> None:
    """Once it was: every constructor took anything, so that ``Policy(sed=1)`` passed in strict mode."""
    file = tmp_path / "snippet.py"
    file.write_text(SNIPPET, encoding="utf-8")
    # In the project's own way, so that what mypy remembers of it serves: without, this takes more than half a minute.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PATH": ""},
    )
    assert not done.stderr, done.stderr
    found = {int(line): text for line, text in re.findall(r"snippet\.py:(\d+): error: (.*)", done.stdout)}
    meant = {n: line.split("# E: ")[1] for n, line in enumerate(SNIPPET.splitlines(), 1) if "# E: " in line}
    assert set(found) == set(meant), done.stdout
    for line, name in meant.items():
        assert f'"{name}"' in found[line], found[line]


def every_settings(cls: type[Settings] = Settings) -> list[type[Settings]]:
    return [each for sub in cls.__subclasses__() for each in (sub, *every_settings(sub))]


def test_a_checker_takes_values_without_names_in_the_order_in_which_they_are_taken() -> None:
    """What has ``kw_only=False`` comes first, in this order, when settings are made without names."""
    assert om.Policy  # all settings are defined
    seen = 0
    for cls in dict.fromkeys(every_settings()):
        fields = {name: field for name, field in cls.model_fields.items() if name not in ("name", "kind")}
        needed = [name for name, field in fields.items() if field.is_required()]
        order = [*needed, *(name for name in fields if name not in needed)]
        loose = [name for name, field in fields.items() if field.kw_only is False]
        assert loose == order[: len(loose)], cls.__name__
        seen += bool(loose)
    assert seen > 10


def test_equal_settings_have_equal_hashes() -> None:
    """Once it was: TypeError, a policy holds dictionaries and lists."""
    taxonomy = om.Taxonomy.from_edges([("a", "b")])

    def policy() -> om.Policy:
        return om.Policy(
            attributes={
                "age": om.Numeric(),
                "job": om.Nominal(taxonomy, mapping={"x": "a", "y": "b"}),
                "rank": om.Ordinal(order=["low", "high"]),
            },
            method=om.Generalization(hierarchies={"age": om.Intervals(levels=[[0, 10, 20]])}),
            require=[om.KAnonymity(2)],
        )

    one, other = policy(), policy()
    assert one is not other
    assert (one, hash(one)) == (other, hash(other))
    backwards = one.changed(attributes=dict(reversed(one.attributes.items())))
    assert (backwards, hash(backwards)) == (one, hash(one))
    assert hash(one) != hash(one.changed(row_order="shuffled"))
    assert {one: "first", other: "second"} == {one: "second"}
    assert hash(om.KAnonymity(2)) != hash(om.ProbabilisticKAnonymity(2))


def test_every_setting_can_be_hashed() -> None:
    for made in (
        om.Generalization(strategy=[{"age": 1}], search="strategy"),
        om.Nominal("icd9cm", mapping={"x": "001"}),
        om.SeverityDiversity(l=2, severity=om.Severity.example()),
        om.SeverityCloseness(t=0.2, severity=om.Severity.example(), columns=["disease"]),
    ):
        assert isinstance(hash(made), int)


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "ontomask", "--version"], capture_output=True, text=True, check=True)
    assert om.__version__ in done.stdout
