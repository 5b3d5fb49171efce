"""Pseudonyms: keyed tokens in the place of identifiers, and a key that nothing but its file shows."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import errors
from ontomask.microdata.keys import Key
from ontomask.microdata.pseudonyms import canonical_text, is_token, pseudonym_column

KEY = bytes(range(1, 33))
FRAME = pl.DataFrame(
    {
        "pid": ["p1", "p1", "p2", "p3", "p3", "p4", None, "p6"],
        "name": list("abcdefgh"),
        "age": [30, 31, 30, 52, 55, 52, 54, 53],
        "ill": ["flu", "flu", "gout", "flu", "gout", "gout", "flu", "gout"],
    }
)


def policy(pid: Any = None, **settings: Any) -> om.Policy:
    attributes = {
        "pid": om.Identifier(keep="pseudonym") if pid is None else pid,
        "name": om.Identifier(),
        "age": om.Numeric(),
        "ill": om.Flat(role="sensitive"),
    }
    made: om.Policy = om.Policy(attributes=attributes, **({"method": om.Microaggregation(k=2)} | settings))
    return made


# ---- tokens --------------------------------------------------------------------------------------------------------


def test_a_release_has_tokens_in_place_of_values() -> None:
    result = om.anonymize(FRAME, policy(), key=KEY)
    assert result.data.columns == ["pid", "age", "ill"]
    tokens = result.data["pid"].to_list()
    assert tokens == om.pseudonyms(FRAME["pid"], KEY, "pid")
    assert tokens[0] == tokens[1] != tokens[2]
    assert tokens[6] is None
    assert all(is_token(token) for token in tokens if token is not None)
    assert om.verify(result.data, policy()).findings[0].text == (
        "no identifier of the policy is in the data, but for pseudonyms: pid"
    )


def test_the_same_value_has_the_same_token_in_every_format(tmp_path: Path) -> None:
    numbers = pl.DataFrame({"pid": [123, 7, None, 123], "age": [1, 1, 2, 2]})
    files = []
    for suffix in (".csv", ".parquet", ".xlsx", ".sav", ".dta"):
        files.append(om.write_table(numbers, tmp_path / f"in{suffix}"))
    frames = [
        *files,
        numbers,
        numbers.with_columns(pl.col("pid").cast(pl.String)),
        numbers.with_columns(pl.col("pid").cast(pl.Float64)),
        numbers.with_columns(pl.col("pid").cast(pl.Decimal(10, 2))),
        numbers.with_columns(pl.col("pid").cast(pl.String).cast(pl.Categorical)),
        numbers.to_pandas(),
        numbers.to_arrow(),
    ]
    chosen = om.Policy(
        attributes={"pid": om.Identifier(keep="pseudonym"), "age": om.Numeric()}, method=om.Microaggregation(k=2)
    )
    expected = om.pseudonyms([123, 7, None, 123], KEY, "pid")
    for frame in frames:
        released = om.anonymize(frame, chosen, key=KEY).data
        found = released["pid"].to_pylist() if isinstance(released, pa.Table) else list(released["pid"])
        assert [None if value is None or value is pd.NA or value != value else value for value in found] == expected


def test_values_are_compared_as_texts() -> None:
    same = [123, 123.0, "123", " 123 ", np.int32(123), np.float64(123), Decimal("123.00"), "123\n"]
    assert set(om.pseudonyms(same, KEY, "d")) == set(om.pseudonyms(["123"], KEY, "d"))
    different = ["0123", 12.3, "123.0", "A", "a", "2024-05-31", True, "1", Decimal("1.50"), "1.50"]
    assert len(set(om.pseudonyms([123, *different], KEY, "d"))) == len(different) + 1
    assert canonical_text(date(2024, 5, 31)) == "2024-05-31"
    assert canonical_text("e\u0301") == canonical_text("\u00e9")
    for missing in (None, "", "  ", float("nan"), np.nan, pd.NA, pd.NaT):
        assert canonical_text(missing) is None


def test_domains_and_keys_have_tokens_of_their_own() -> None:
    values = ["1", "2", "3"]
    found = [om.pseudonyms(values, key, domain) for key in (KEY, KEY[::-1]) for domain in ("patient", "doctor")]
    assert len({token for tokens in found for token in tokens}) == 12
    shared = {"keep": "pseudonym", "domain": "patient"}
    frame = pl.DataFrame({"mother": ["1", "2"], "child": ["2", "3"], "other": ["1", "2"], "age": [1, 1]})
    attributes = {"mother": om.Identifier(**shared), "child": om.Identifier(**shared), "age": om.Numeric()}
    attributes["other"] = om.Identifier(keep="pseudonym")
    data = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Microaggregation(k=2)), key=KEY).data
    assert data["mother"][1] == data["child"][0]
    assert data["mother"][0] != data["other"][0]


def test_parts_of_a_message_do_not_run_together() -> None:
    key = Key.of(KEY)
    assert len({key.derive("a", "b", "c"), key.derive("ab", "c"), key.derive("a", "bc"), key.derive("abc")}) == 4


def test_two_values_with_the_same_token_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontomask.microdata.pseudonyms.BYTES", 1)
    with pytest.raises(errors.DataError, match="'pid': two of its values have the same pseudonym"):
        pseudonym_column(pl.Series("pid", range(1000)), Key.of(KEY), "pid")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([2.0**60]), "too large to be exact"),
        (pl.Series([b"x"]), "an identifier is a bytes"),
    ],
)
def test_values_that_have_no_token(values: pl.Series, expected: str) -> None:
    with pytest.raises(errors.DataError, match=rf"column 'pid': .*{expected}"):
        om.anonymize(FRAME.head(1).with_columns(values.alias("pid")), policy(method=om.Recoding(k=1)), key=KEY)
    with pytest.raises(errors.OptionError, match=expected):
        om.pseudonyms(values.to_list(), KEY, "pid")


# ---- what the release is ---------------------------------------------------------------------------------------------


def test_frames_keep_no_identifier_in_their_types() -> None:
    pandas = FRAME.to_pandas().astype({"pid": "category"})
    released = om.anonymize(pandas, policy(), key=KEY).data["pid"]
    assert all(is_token(category) for category in released.cat.categories)
    enum = FRAME.with_columns(pl.col("pid").cast(pl.Enum([f"p{i}" for i in range(9)])))
    assert all(is_token(category) for category in om.anonymize(enum, policy(), key=KEY).data["pid"].dtype.categories)


def test_masking_does_not_depend_on_the_key() -> None:
    chosen = policy(method=om.RankSwapping(k=2), row_order="shuffled")
    one, two = (om.anonymize(FRAME, chosen, seed=1, key=key).data for key in (KEY, KEY[::-1]))
    assert one.drop("pid").equals(two.drop("pid"))
    assert not one.equals(two)


def test_persons_are_counted_by_pseudonyms_in_any_file(tmp_path: Path) -> None:
    """Also those of a key of several columns, and spelled with blanks: tokens say who is who, before and after."""
    frame = pl.DataFrame(
        {"ward": ["a", "a", "b", "b", "b", "b"], "nr": ["1", "1 ", "1", "2", "3", "3"], "age": [3] * 6}
    )
    kept = om.Identifier(keep="pseudonym")
    chosen = om.Policy(
        attributes={"ward": kept, "nr": kept, "age": om.Numeric()},
        person=["ward", "nr"],
        method=om.Microaggregation(k=4),
        require=[om.KAnonymity(k=4)],
    )
    result = om.anonymize(frame, chosen)
    assert "the smallest of 4 persons" in str(result.verification)
    file = result.write(tmp_path / "release.csv")
    assert om.verify(file, chosen).holds
    five = om.verify(file, chosen.changed(require=[om.KAnonymity(k=5)], method=None))
    assert five.verdict == "fails"
    partly = chosen.changed(attributes=chosen.attributes | {"ward": om.Identifier()})
    file = om.anonymize(frame, partly).write(tmp_path / "partly.csv")
    assert om.verify(file, partly).verdict == "not everything could be checked"


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_an_identifier_left_in_the_column_fails(tmp_path: Path, suffix: str) -> None:
    chosen = policy(require=[om.KAnonymity(k=2)])
    data = om.anonymize(FRAME, chosen, key=KEY).data
    for wrong in (FRAME["pid"], pl.Series([*data["pid"][:-1], "p6"]), pl.Series(range(8))):
        file = om.write_table(data.with_columns(wrong.alias("pid")), tmp_path / f"wrong{suffix}", overwrite=True)
        found = om.verify(file, chosen)
        assert [finding.text for finding in found if not finding.holds] == [
            "values are left that are not pseudonyms: pid"
        ]
        assert "p6" not in str(found)
    file = om.write_table(data.drop("pid"), tmp_path / f"without{suffix}")
    assert "columns of the policy that the data do not have: 'pid'" in str(om.verify(file, chosen))


def test_a_release_that_was_changed_is_not_written(tmp_path: Path) -> None:
    result = om.anonymize(FRAME.to_pandas(), policy(), key=KEY)
    result.data.loc[0, "pid"] = "p1"
    with pytest.raises(errors.NotSatisfied, match="values are left that are not pseudonyms: pid"):
        result.write(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


# ---- what is said ----------------------------------------------------------------------------------------------------


def said(chosen: om.Policy, kind: str = "caveat") -> list[str]:
    guarantees = om.anonymize(FRAME.drop_nulls(), chosen, key=KEY).guarantees
    return [statement.text for statement in guarantees if (statement.kind, statement.subject) == (kind, "pseudonyms")]


def test_consequences_are_said() -> None:
    joined, order = said(policy())
    assert "Records with the same pseudonym can be joined (pid)" in joined
    assert "in the original order" in order
    assert len(said(policy(), "assumed")) == 1
    plain = om.anonymize(FRAME, policy(om.Identifier())).guarantees
    assert not [statement for statement in plain if statement.subject == "pseudonyms"]
    assert said(policy(row_order="shuffled")) == [joined]
    persons = {"person": "pid", "row_order": "shuffled"}
    assert said(policy(**persons)) == [joined]
    profiles = {"method": om.ProfileMicroaggregation(k=2), "require": [om.ProfileAnonymity(k=2)]}
    assert said(policy(**persons, **profiles)) == []
    assert said(policy(**(persons | {"person": []}), require=[om.ProfileAnonymity(k=1)])) == [joined]


def test_notes_say_where_the_key_is() -> None:
    drawn = [str(note) for note in om.anonymize(FRAME, policy()).notes]
    given = [str(note) for note in om.anonymize(FRAME, policy(), key=KEY).notes]
    assert "pseudonyms were made with a new key, which a saved result keeps in confidential/key.txt" in drawn
    assert "pseudonyms were made with a key that was given; the result does not hold it" in given
    for notes in (drawn, given):
        assert "identifiers removed: name" in notes
        assert "identifiers released as pseudonyms: pid" in notes


def test_check_and_compare_take_such_policies() -> None:
    chosen = policy(require=[om.KAnonymity(k=2)])
    assert om.check(FRAME, chosen).columns.row(0)[:3] == ("pid", "identifier", "identifier")
    assert om.compare(FRAME, om.grid(chosen, ["microaggregation"], [2, 3]), workers=1).table["loss"].is_finite().all()


# ---- the key ----------------------------------------------------------------------------------------------------------


def spellings(key: bytes) -> list[bytes]:
    return [
        key,
        key.hex().encode(),
        key.hex().upper().encode(),
        base64.b64encode(key).rstrip(b"="),
        base64.b32encode(key).rstrip(b"=").lower(),
        *(str(int.from_bytes(key, order)).encode() for order in ("big", "little")),  # type: ignore[arg-type]
    ]


def command(*arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def key_of(folder: Path) -> bytes:
    return bytes.fromhex((folder / "confidential" / "key.txt").read_text().splitlines()[1])


def test_the_command_line_draws_a_key_takes_it_again_and_never_shows_it(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "in.csv")
    FRAME.write_parquet(tmp_path / "in.parquet")
    policy(require=[om.KAnonymity(k=2)]).save(tmp_path / "policy.yaml")
    printed = command("run", "policy.yaml", "in.csv", "-o", "one", cwd=tmp_path)
    kept = "one/confidential/key.txt"
    printed += command("run", "policy.yaml", "in.parquet", "-o", "two", "--json", "--key", kept, cwd=tmp_path)
    one, two = (tmp_path / name for name in ("one", "two"))
    released = pl.read_csv(one / "release" / "release.csv"), pl.read_parquet(two / "release" / "release.parquet")
    assert released[0].equals(released[1])
    assert "Never publish it" in (tmp_path / kept).read_text()
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / kept).stat().st_mode) == 0o600
    assert not (two / "confidential" / "key.txt").exists()
    for spelled in spellings(key_of(one)):
        assert spelled not in printed.encode()
        for path in (*one.rglob("*"), *two.rglob("*"), tmp_path / "policy.yaml"):
            if path.is_file() and path.name != "key.txt":
                assert spelled not in path.read_bytes(), path.name
    for folder in (one, two):
        assert om.verify_result(folder).holds
        assert "fingerprint" not in (folder / "confidential" / "notes.txt").read_text()
    listed = json.loads((two / "confidential" / "manifest.json").read_text())
    assert "key" not in json.dumps(listed)
    refused = command("run", "policy.yaml", "in.csv", "-o", "one", "--force", "--key", kept, cwd=tmp_path, code=2)
    assert "key.txt: this is a file that the data, the policy or the key came from" in refused
    assert key_of(one)
    found = command("verify", "policy.yaml", "in.csv", cwd=tmp_path, code=1)
    assert "FAILS: identifiers are still in the data: name; values are left that are not pseudonyms: pid" in found


def test_in_python(tmp_path: Path) -> None:
    first = om.anonymize(FRAME, policy())
    other = om.anonymize(FRAME, policy())
    assert not first.data.equals(other.data)
    assert first.key is not None
    folder = first.save(tmp_path / "one", report=True)
    kept = folder / "confidential" / "key.txt"
    assert "identifier, released as a pseudonym" in (folder / "release" / "report.html").read_text()
    for key in (kept, str(kept), key_of(folder), first.key):
        assert om.anonymize(FRAME, policy(), key=key).data.equals(first.data)
        assert om.pseudonyms(FRAME["pid"], key, "pid") == first.data["pid"].to_list()
    for shown in (repr(first), str(first), repr(first.key), f"{first.key}", repr(vars(first)), repr(policy())):
        assert not [spelled for spelled in spellings(key_of(folder)) if spelled in shown.encode()]
    assert om.anonymize(FRAME, policy(om.Identifier())).key is None
    with pytest.raises(errors.OutputError, match="the key came from"):
        om.anonymize(FRAME, policy(), key=kept).save(folder, overwrite=True)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (b"short", "key=: expected 32 random bytes, got 5"),
        (bytes(32), "these follow a pattern"),
        (2024, "expected the path of a key file or 32 bytes, got int"),
        ("nowhere.txt", "nowhere.txt: there is no such key file"),
        ("a passphrase", "there is no such key file"),
    ],
)
def test_keys_that_are_none(key: Any, expected: str) -> None:
    for run in (lambda: om.anonymize(FRAME, policy(), key=key), lambda: om.pseudonyms(["1"], key, "pid")):
        with pytest.raises(errors.OntomaskError) as caught:
            run()
        assert expected in str(caught.value)
        assert repr(key) not in str(caught.value) or not isinstance(key, bytes)


def test_a_file_without_a_key(tmp_path: Path) -> None:
    file = tmp_path / "key.txt"
    for content in ("", "seed 7", "abc", "0" * 64):
        file.write_text(content)
        with pytest.raises(errors.OntomaskError, match=r"key\.txt: (there is no key in it|expected 32 random)"):
            om.anonymize(FRAME, policy(), key=file)


def test_a_key_that_nothing_needs_is_an_error() -> None:
    with pytest.raises(errors.OptionError, match="a key is given, and no column of the policy is released as a pseud"):
        om.anonymize(FRAME, policy(om.Identifier()), key=KEY)


# ---- settings ---------------------------------------------------------------------------------------------------------


def test_settings_are_checked_and_saved(tmp_path: Path) -> None:
    chosen = policy(om.Identifier(keep="pseudonym", domain="patient"), person="pid")
    assert chosen.pseudonyms == {"pid": "patient"}
    assert om.Policy.load(chosen.save(tmp_path / "policy.yaml")) == chosen
    text = (tmp_path / "policy.yaml").read_text()
    assert "keep: pseudonym" in text
    assert "domain: patient" in text
    for wrong, expected in (
        ({"domain": "patient"}, "add keep: pseudonym"),
        ({"keep": "token"}, "'token' is not one of pseudonym"),
        ({"keep": "pseudonym", "domain": " "}, "domain is empty"),
    ):
        with pytest.raises(errors.PolicyError, match=expected):
            om.Identifier(**wrong)
    with pytest.raises(errors.PolicyError, match="an identifier, whose values no release has"):
        policy(require=[om.LDiversity(l=2, attribute="pid")])
    with pytest.raises(errors.OptionError, match="the domain is not a text"):
        om.pseudonyms(["1"], KEY, "")
