"""``ontomask taxonomy``: what its commands print, write and end with; some as real processes, most in this one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app

RUNNER = CliRunner()


def process(*arguments: str | Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", "taxonomy", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def run(*arguments: str | Path, code: int = 0) -> tuple[str, str]:
    """What a command says on stdout and stderr; an error of ours is what ``main`` turns into code 2 (see the processes)."""
    done = RUNNER.invoke(app, ["taxonomy", *map(str, arguments)])
    if isinstance(done.exception, om.errors.OntomaskError):
        assert code == 2, str(done.exception)
        return done.stdout, f"ontomask: {done.exception}"
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code == code, done.output
    return done.stdout, done.stderr


def fails(*arguments: str | Path) -> str:
    out, err = run(*arguments, code=2)
    assert out == ""
    assert "\n" not in err.strip()
    return err


def facts(*arguments: str | Path, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code)[0])


EDGES = """\
child,parent,label,synonyms
pain,,Pain,
ache,pain,Ache,
007,ache,Lumbago,low back pain|bad back
7,ache,Migraine,
8,pain,Colic,
9,ache,Colic,
"""
LEVELS = "teacher;teaching;*\nprofessor;teaching;*\nnurse;health;*\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small files, which no test changes."""
    folder = tmp_path_factory.mktemp("taxonomies")
    (folder / "pains.csv").write_text(EDGES, encoding="utf-8")
    (folder / "jobs.csv").write_text(LEVELS, encoding="utf-8")
    people = pl.DataFrame(
        {
            "id": [1, 2, 3, 4, 5, 6, 7],
            "pain": ["007", "7", "007", "Bad Back", "aches", "lumbagoo", None],
            "job": ["teacher", "nurse", "Nurse", "nurse", "nurse", "teaching", "pilot"],
        }
    )
    people.write_csv(folder / "people.csv")
    people.write_parquet(folder / "people.parquet")
    pl.DataFrame({"code": [7, 8, 8]}).write_parquet(folder / "numbers.parquet")
    (folder / "list.txt").write_text("007\nMigraine, \n\n007\n", encoding="utf-8")
    (folder / "bad.obo").write_bytes(b"\x00\x01\x02" * 400)
    return folder


# ---- processes --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def processes(place: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    target = tmp_path_factory.mktemp("written") / "mapping.csv"
    match = ("match", place / "pains.csv", place / "people.csv", "--column", "pain")
    return {
        "show": process("show", place / "pains.csv"),
        "match": process(*match, "-o", target),
        "again": process(*match, "-o", target),
        "cover": process("cover", place / "jobs.csv", place / "people.csv", "--column", "job"),
        "unknown": process("path", place / "pains.csv", "lumbagoo"),
    }


def test_a_code_page_without_every_sign(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    code, out, err = process("show", place / "pains.csv", "--depth", "1")
    assert (code, err) == (0, "")
    assert "\\u2514\\u2500\\u2500 8  Colic" in out


def test_processes_end_as_documented(processes: dict[str, tuple[int, str, str]]) -> None:
    assert {name: code for name, (code, _, _) in processes.items()} == {
        "show": 0, "match": 0, "again": 2, "cover": 1, "unknown": 2,
    }  # fmt: skip
    assert processes["show"][1].endswith(
        "pain  Pain\n├── ache  Ache\n│   ├── 007  Lumbago\n│   ├── 7  Migraine\n│   └── 9  Colic\n└── 8  Colic\n"
    )
    assert processes["match"][1].splitlines()[0] == ("column 'pain' of people.csv in pains; 1 record without a value")
    for name in ("again", "unknown"):
        _, out, err = processes[name]
        assert (out, err.count("\n")) == ("", 1), name
    assert processes["again"][2].endswith(
        "mapping.csv: the file exists. Choose another name, or --force to replace it.\n"
    )
    assert processes["unknown"][2].startswith("ontomask: no concept 'lumbagoo' in pains. Near it: 007 (Lumbago)")


# ---- show -------------------------------------------------------------------------------------------------------


def test_the_catalog_tells_what_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.taxonomy import catalog

    monkeypatch.setattr(catalog, "_wordnet_places", lambda: iter([Path("nowhere")]))
    monkeypatch.setattr(catalog.importlib.util, "find_spec", lambda name: None)
    out, _ = run("show")
    assert re.search(r"\n  icd9cm +yes +ICD-9-CM diagnoses", out)
    assert re.search(r"\n  wordnet +no +WordNet nouns", out)
    assert "  icd10cm: pip install 'ontomask[icd10]'\n" in out
    said = {entry["name"]: entry for entry in facts("show")["catalog"]}
    assert list(said) == list(om.list_taxonomies())
    assert [said[name]["available"] for name in ("icd9cm", "icd9cm_procedures", "icd10cm", "wordnet")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_what_the_catalog_calls_available_can_be_loaded() -> None:
    from ontomask.taxonomy.catalog import catalog

    for entry in catalog():
        if entry.lacking is None and entry.name != "icd10cm":  # which takes seconds
            assert len(om.load_taxonomy(entry.name)) > 1000


def test_show_counts_and_draws(place: Path) -> None:
    out, err = run("show", place / "pains.csv", "--depth", "1")
    assert err == ""
    assert re.search(r"concepts +6\n.*leaves +4\n", out, re.S)
    assert "├── ache  Ache  (+3)" in out
    out, _ = run("show", place / "pains.csv", "--concept", "ACHE", "--width", "1")
    assert "ache  Ache\n├── 007  Lumbago\n└── ... 2 more\n" in out
    assert "  children:   3 (3 concepts below in all)" in out
    out, err = run("show", place / "pains.csv", "--concept", "bad back")
    assert "note: 'bad back' is taken as 007 by its synonym" in err
    assert "  synonyms:   low back pain; bad back" in out


def test_show_as_json(place: Path) -> None:
    said = facts("show", place / "pains.csv", "--concept", "ache", "--depth", "1", "--width", "2")
    assert (said["taxonomy"]["concepts"], said["taxonomy"]["leaves"], said["taxonomy"]["depth"]) == (6, 4, 3)
    assert [step["concept"] for step in said["concept"]["way"]] == ["pain", "ache"]
    assert [(row["level"], row["concept"], row["children"]) for row in said["tree"]] == [
        (0, "ache", 3), (1, "007", 0), (1, "7", 0),
    ]  # fmt: skip


def test_a_chain_deeper_than_json_can_nest(tmp_path: Path) -> None:
    lines = ["child,parent", *(f"c{i + 1},c{i}" for i in range(3000))]
    (tmp_path / "chain.csv").write_text("\n".join(lines), encoding="utf-8")
    tree = facts("show", tmp_path / "chain.csv", "--depth", "5000")["tree"]
    assert (len(tree), tree[-1]["concept"]) == (3001, "c3000")


def test_options_of_a_format(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("Key;Up;Text\n01;;all\n011;01;part\n", encoding="utf-8")
    path = tmp_path / "codes.csv"
    said = fails("show", path)
    assert "no child and parent column among 'Key', 'Up', 'Text'" in said
    assert said.endswith("(Here: --format levels or prefix, --option child=Code and the like.)")
    options = ("--option", "child=Key", "--option", "parent=Up", "--option", "label=Text")
    assert "└── 011  part" in run("show", path, "--format", "edges", *options)[0]
    assert (
        "└── 011  part" in run("show", path, "--format", "prefix", "--option", "code=Key", "--option", "label=Text")[0]
    )
    assert "the format 'edges' has no option 'chld'" in fails("show", path, "--option", "chld=Key")
    assert "'name=x' is not a NAME=VALUE of a format" in fails("show", path, "--option", "name=x")
    assert "'child' is not a NAME=VALUE" in fails("show", path, "--option", "child")
    (tmp_path / "bare.csv").write_text("1,0,one\n", encoding="utf-8")
    assert "└── 1  one" in run("show", tmp_path / "bare.csv", "--format", "edges", "--option", "header=no")[0]


# ---- search and path --------------------------------------------------------------------------------------------


def test_search_says_where_concepts_stand(place: Path) -> None:
    out, _ = run("search", place / "pains.csv", "back")
    assert re.search(r"\n  007 +Lumbago +Pain > Ache\n", out)
    out, _ = run("search", place / "pains.csv", "colic", "--limit", "1")
    assert out.endswith("  ... and more; --limit shows them\n")
    said = facts("search", place / "pains.csv", "colic")
    assert ([of["concept"] for of in said["found"]], said["more"]) == (["8", "9"], False)
    assert (
        "No concept of pains contains 'migrane'. Near it: 7 (Migraine)."
        in run("search", place / "pains.csv", "migrane")[0]
    )
    assert facts("search", place / "pains.csv", "zzz")["found"] == []


def test_codes_keep_their_zeros(place: Path) -> None:
    assert facts("path", place / "pains.csv", "007")["label"] == "Lumbago"
    assert facts("path", place / "pains.csv", "7")["label"] == "Migraine"


def test_path_of_one(place: Path) -> None:
    assert run("path", place / "pains.csv", "007") == ("pain  Pain\n  ache  Ache\n    007  Lumbago\n", "")
    assert "--measure needs two concepts" in fails("path", place / "pains.csv", "7", "--measure", "lin")


def test_path_of_two(place: Path) -> None:
    t = om.read_taxonomy(place / "pains.csv")
    out, _ = run("path", place / "pains.csv", "007", "7")
    assert "Least common subsumer: ache  Ache (depth 2, root = 1)\n" in out
    assert re.search(rf"\n  logsc +{om.distance(t, '007', '7'):.4f}".rstrip("0") + " +0 to 1 ", out)
    said = facts("path", place / "pains.csv", "007", "8", "--measure", "path,lin", "--measure", "logsc")
    assert said["least_common_subsumer"] == {"concept": "pain", "label": "Pain", "depth": 1}
    assert said["distances"] == {m: om.distance(t, "007", "8", m) for m in ("path", "lin", "logsc")}
    assert list(facts("path", place / "pains.csv", "7", "8")["distances"]) == ["logsc", "wu_palmer"]
    assert "(the root)" in run("path", place / "pains.csv", "7", "8")[0]
    assert "no measure 'lins'. Did you mean 'lin'?" in fails("path", place / "pains.csv", "7", "8", "--measure", "lins")


def test_several_parents_are_told(tmp_path: Path) -> None:
    (tmp_path / "pets.csv").write_text("child,parent\ndog,canine\ndog,pet\ncanine,animal\npet,animal\n")
    out, _ = run("path", tmp_path / "pets.csv", "dog")
    assert out == "animal\n  canine\n    dog\n(the longest path; its 2 parents: canine; pet)\n"


# ---- convert ----------------------------------------------------------------------------------------------------

OBO = """format-version: 1.2

[Term]
id: X:1
name: all

[Term]
id: X:2
name: part
alt_id: X:9
def: "some part" []
is_a: X:1
relationship: part_of X:1
"""


def test_convert_tells_what_is_lost(tmp_path: Path) -> None:
    (tmp_path / "x.obo").write_text(OBO, encoding="utf-8")
    target = tmp_path / "x.csv"
    out, _ = run("convert", tmp_path / "x.obo", target)
    assert out.splitlines() == [
        f"{target}: 2 concepts, 1 is-a link of x",
        "  not in the file: 1 definition (the measures rodriguez and x_similarity use them)",
        "  not in the file: 1 relation other than is-a: part_of (1)",
        "  not in the file: 1 alternative code, such as 'X:9'",
    ]
    assert target.read_text(encoding="utf-8") == "child,parent,label,synonyms\nX:1,,all,\nX:2,X:1,part,\n"
    before = target.read_bytes()
    assert "the file exists" in fails("convert", tmp_path / "x.obo", target)
    assert target.read_bytes() == before
    said = facts("convert", tmp_path / "x.obo", target, "--force")
    assert (said["written"], said["concepts"], len(said["lost"])) == (str(target), 2, 3)


def test_convert_from_the_catalog_loses_nothing(tmp_path: Path, icd9cm: om.Taxonomy) -> None:
    out, _ = run("convert", "icd9cm_procedures", tmp_path / "p.csv.gz")
    assert out.endswith("  nothing is lost: read back, it is identical\n")
    assert om.read_taxonomy(tmp_path / "p.csv.gz") == om.load_taxonomy("icd9cm_procedures")


def test_convert_makes_the_artificial_root_anew(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("child,parent\napple,fruit\noak,tree\n", encoding="utf-8")
    out, err = run("convert", tmp_path / "two.csv", tmp_path / "out.csv")
    assert "note: 2 roots ('fruit', 'tree') are joined" in err
    assert "  the artificial root '(root)' is not in the file; reading adds it again\n" in out
    assert om.read_taxonomy(tmp_path / "out.csv").children("(root)") == ["fruit", "tree"]


def test_convert_refuses(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(EDGES, encoding="utf-8")
    said = fails("convert", tmp_path / "own.csv", tmp_path / "own.csv", "--force")
    assert "this is the file the taxonomy comes from" in said
    assert (tmp_path / "own.csv").read_text(encoding="utf-8") == EDGES
    assert "'own.obo' does not end in .csv or .csv.gz" in fails("convert", tmp_path / "own.csv", tmp_path / "own.obo")
    assert "cannot be written" in fails("convert", tmp_path / "own.csv", tmp_path / "gone" / "x.csv")
    (tmp_path / "folder.csv").mkdir()
    for force in ([], ["--force"]):
        said = fails("convert", tmp_path / "own.csv", tmp_path / "folder.csv", *force)
        assert said.endswith("folder.csv: this is a folder. Name a file in it.")


def test_differences_are_found_where_there_are_some() -> None:
    from ontomask.taxonomy.writing import differences

    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "b")], labels={"b": "B"}, synonyms={"c": ["x"]})
    assert differences(t, t) == []
    moved = om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "c")], labels={"b": "BB"}, synonyms={"c": ["x", "y"]})
    assert differences(t, moved) == [
        "2 is-a links that are read back otherwise, such as ('d', 'b')",
        "line breaks or outer blanks in 1 label",
        "repetitions, line breaks or outer blanks in the synonyms of 1 concept",
    ]
    ordered = om.Taxonomy.from_edges([("c", "a"), ("b", "a"), ("d", "b")], labels={"b": "B"}, synonyms={"c": ["x"]})
    assert differences(t, ordered) == ["the order of the concepts, which breaks ties"]
    assert "1 concept that" in differences(t, om.Taxonomy.from_edges([("b", "a"), ("c", "a")]))[0].replace(
        "concepts", ""
    )


# ---- match ------------------------------------------------------------------------------------------------------


def test_match_says_how(place: Path) -> None:
    out, err = run("match", place / "pains.csv", place / "people.csv", "--column", "pain")
    assert out.startswith("column 'pain' of people.csv in pains; 1 record without a value\n")
    assert re.findall(r"\n  (\S[a-z ]*\S) +(\d+) +(\d+)(?=\n)", out)[:5] == [
        ("code", "2", "3"), ("synonym", "1", "1"), ("stem", "1", "1"), ("not found", "1", "1"), ("in all", "5", "6"),
    ]  # fmt: skip
    assert re.search(r"\n  lumbagoo +1  007 \(Lumbago\)", out)
    assert err == ""


def test_match_as_json(place: Path) -> None:
    for table in ("people.csv", "people.parquet"):
        said = facts("match", place / "pains.csv", place / table, "--column", "pain")
        assert {row["value"]: (row["concept"], row["how"], row["records"]) for row in said["matched"]} == {
            "007": ("007", "code", 2),
            "7": ("7", "code", 1),
            "Bad Back": ("007", "synonym", 1),
            "aches": ("ache", "stem", 1),
        }
        assert [(row["value"], row["near"][0]["concept"]) for row in said["not_found"]] == [("lumbagoo", "007")]
        assert (said["values"], said["records"], said["missing"]) == (5, 6, 1)


def test_language(place: Path) -> None:
    match = ("match", place / "pains.csv", place / "people.csv", "--column", "pain", "--language")
    assert facts(*match, "en") == facts(*match, "english")
    assert [row["value"] for row in facts(*match, "none")["not_found"]] == ["aches", "lumbagoo"]
    assert "no stemmer for the language 'elvish'" in fails(*match, "elvish")


def test_several_meanings(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("what\ncolic\ncolic\n", encoding="utf-8")
    out, err = run("match", place / "pains.csv", tmp_path / "x.csv")
    assert re.search(r"Several meanings: the first is used\n.*\n  colic +2  8 \(Colic\) +9\n", out)
    assert "the first line, 'what', is taken for the name of the only column" in err
    assert err.count("\n") == 1, "several senses are listed above"
    _, err = run("cover", place / "pains.csv", tmp_path / "x.csv")
    assert "note: 1 value with several meanings; ontomask taxonomy match lists them" in err


def test_a_plain_list(place: Path, tmp_path: Path) -> None:
    said = facts("match", place / "pains.csv", place / "list.txt")
    assert [(row["value"], row["concept"], row["records"]) for row in said["matched"]] == [
        ("007", "007", 2), ("Migraine,", "7", 1),
    ]  # fmt: skip
    (tmp_path / "list.csv").write_text("007\n7\n", encoding="utf-8")
    assert facts("match", place / "pains.csv", tmp_path / "list.csv", "--list")["values"] == 2
    assert "a plain list has no columns" in fails(
        "match", place / "pains.csv", tmp_path / "list.csv", "--list", "--column", "x"
    )


def test_numbers_in_a_typed_file_are_told(place: Path) -> None:
    said = facts("match", place / "pains.csv", place / "numbers.parquet")
    assert [row["concept"] for row in said["matched"]] == ["7", "8"]
    assert "column 'code' is stored as Int64: codes have lost zeros at their ends" in said["notes"]
    assert any("7 (or 007)" in note for note in said["notes"])


def test_the_mapping_can_be_edited_and_used(place: Path, tmp_path: Path) -> None:
    target = tmp_path / "mapping.csv"
    match = ("match", place / "pains.csv", place / "people.csv", "--column", "pain")
    out, _ = run(*match, "-o", target)
    assert f"{target}: 5 values, 1 of them with an empty concept to fill in." in out
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == [
        "value,concept,label,how,records,near",
        "lumbagoo,,,not placed,1,007 (Lumbago)",
        "aches,ache,Ache,stem,1,",
    ]
    assert "007,007,Lumbago,code,2," in lines, "zeros are kept"
    # As it is, it decides what was found and leaves the rest open.
    said = facts(*match, "--mapping", target)
    assert {row["how"] for row in said["matched"]} == {"mapping"}
    assert [row["value"] for row in said["not_found"]] == ["lumbagoo"]
    people = pl.read_csv(place / "people.csv", schema_overrides={"pain": pl.String}).select("pain").drop_nulls()
    policy = om.Policy(
        attributes={"pain": om.Nominal(taxonomy=str(place / "pains.csv"), mapping=str(target))},
        method=om.Recoding(k=2),
    )
    with pytest.raises(om.errors.UnmatchedValuesError, match="lumbagoo"):
        om.anonymize(people, policy)
    text = target.read_text(encoding="utf-8").replace("lumbagoo,,", "lumbagoo,007,")
    target.write_text(text, encoding="utf-8")
    assert facts(*match, "--mapping", target)["not_found"] == []
    assert run("cover", *match[1:], "--mapping", target)[0].endswith(
        "6 of 6 records: all of them\n  1 record without a value, not counted\n"
    )
    assert om.anonymize(people, policy).data.height == 6


def test_a_mapping_of_awkward_values_reads_back(tmp_path: Path) -> None:
    from ontomask.taxonomy.writing import mapping_text

    t = om.Taxonomy.from_edges([("a;b", "x"), ('say "a", b', "x"), ("|", "x"), ("c", "x")])
    values = ["a;b", 'say "a", b', "|", "  C ", "two\nlines", "=1+1"]
    found = om.match(values, t)
    (tmp_path / "m.csv").write_text(mapping_text(found), encoding="utf-8")
    again = om.match(values, t, tmp_path / "m.csv")
    assert again.concepts == found.concepts
    assert [u.value for u in again.unmatched] == [u.value for u in found.unmatched] == ["two\nlines", "=1+1"]


def test_a_mapping_of_every_value_does_not_turn_labels_into_codes(place: Path, tmp_path: Path) -> None:
    column = pl.DataFrame({"pain": ["Lumbago", "Migraine", "Colic"] * 2})
    column.write_csv(tmp_path / "words.csv")
    run("match", place / "pains.csv", tmp_path / "words.csv", "-o", tmp_path / "m.csv")
    released = []
    for mapping in (None, str(tmp_path / "m.csv")):
        nominal = om.Nominal(taxonomy=str(place / "pains.csv"), mapping=mapping)
        policy = om.Policy(attributes={"pain": nominal}, method=om.Generalization(), require=[om.KAnonymity(k=6)])
        released.append(set(om.anonymize(column, policy).data["pain"]))
    assert released == [{"Pain"}, {"Pain"}]


def test_match_refuses_to_write_where_it_must_not(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("pain\n007\n", encoding="utf-8")
    match = ("match", place / "pains.csv", tmp_path / "x.csv")
    assert "this is a file that is read" in fails(*match, "-o", tmp_path / "x.csv", "--force")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == "pain\n007\n"
    assert "its folder does not exist" in fails(*match, "-o", tmp_path / "no" / "m.csv")
    assert "--force needs --output" in fails(*match, "--force")
    run(*match, "-o", tmp_path / "m.csv")
    run(*match, "-o", tmp_path / "m.csv", "--force")


# ---- cover ------------------------------------------------------------------------------------------------------


def test_cover_by_a_hierarchy_is_what_generalization_demands(place: Path) -> None:
    out, err = run("cover", place / "jobs.csv", place / "people.csv", "--column", "job", code=1)
    assert out.splitlines() == [
        "column 'job' of people.csv in the hierarchy jobs.csv (3 values, 2 levels above)",
        "  covered: 2 of 5 values, 4 of 7 records",
        "",
        "Not covered: 3 values, 3 records",
        "  value     records  near",
        "  Nurse           1  nurse",
        "  teaching        1  teacher",
        "  pilot           1",
    ]
    assert err == ""
    column = pl.read_csv(place / "people.csv").select("job")
    policy = om.Policy(
        attributes={"job": om.Flat()},
        method=om.Generalization(hierarchies={"job": om.LevelsFile(path=str(place / "jobs.csv"))}),
        require=[om.KAnonymity(k=2)],
    )
    with pytest.raises(om.errors.DataError, match="does not have 3 values of the column") as refused:
        om.anonymize(column, policy)
    assert all(repr(value) in str(refused.value) for value in ("Nurse", "teaching", "pilot"))


def test_a_hierarchy_with_a_header(place: Path, tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("Job;group;all\n" + LEVELS + "pilot;other;*\n", encoding="utf-8")
    (tmp_path / "x.csv").write_text("job,n\nnurse,1\npilot,2\n", encoding="utf-8")
    cover = ("cover", tmp_path / "jobs.csv", tmp_path / "x.csv", "--column", "job", "--format", "levels")
    said = fails(*cover)
    assert "jobs.csv: the first row begins with the name of the column, 'Job'" in said
    assert "--option header=yes" in said
    assert "2 of 2 values" in run(*cover, "--option", "header=yes")[0]


def test_cover_by_the_same_file_as_a_taxonomy(place: Path) -> None:
    cover = ("cover", place / "jobs.csv", place / "people.csv", "--column", "job")
    said = facts(*cover, "--as", "taxonomy", code=1)
    assert [(row["value"], row["records"]) for row in said["uncovered"]] == [("pilot", 1)]
    assert (said["covered"], said["values"], said["records"], said["uncovered_records"]) == (False, 5, 7, 1)
    assert "--mapping is for taxonomies" in fails(*cover, "--mapping", "m.csv")
    assert "no --as 'tree'. There are: 'hierarchy', 'taxonomy'" in fails(*cover, "--as", "tree")
    assert "not for obo" in fails(*cover, "--as", "hierarchy", "--format", "obo")
    assert "foo: unknown key" in fails(*cover, "--option", "foo=1")


def test_cover_lists_the_first_twenty_or_all(place: Path, tmp_path: Path) -> None:
    values = [f"v{i:02}" for i in range(25)]
    pl.DataFrame({"job": [*values, "nurse", "v24"]}).write_csv(tmp_path / "many.csv")
    cover = ("cover", place / "jobs.csv", tmp_path / "many.csv", "--column", "job")
    out, _ = run(*cover, code=1)
    assert "  ... and 5 more; --all lists them\n" in out
    assert re.findall(r"\n  (v\d\d) +\d", out) == ["v24", *values[:19]], "the most frequent first"
    assert len(re.findall(r"\n  v\d\d +\d", run(*cover, "--all", code=1)[0])) == 25
    assert len(facts(*cover, code=1)["uncovered"]) == 25


def test_numbers_are_covered_as_a_hierarchy_writes_them(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("1;0-4;*\n2;0-4;*\n", encoding="utf-8")
    pl.DataFrame({"age": [1.0, 2.0, None]}).write_parquet(tmp_path / "age.parquet")
    out, _ = run("cover", tmp_path / "age.csv", tmp_path / "age.parquet", "--column", "age")
    assert "covered: 2 of 2 values, 2 of 2 records: all of them\n  1 record without a value, not counted\n" in out


def test_blanks_are_shown(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('job,n\n" nurse",1\n', encoding="utf-8")
    out, _ = run("cover", place / "jobs.csv", tmp_path / "x.csv", "--column", "job", code=1)
    assert re.search(r"\n  ' nurse' +1  nurse", out)


# ---- slips ------------------------------------------------------------------------------------------------------


def test_slips_are_one_message(place: Path) -> None:
    table = (place / "people.csv", "--column")
    assert fails("show", "icd9") == (
        "ontomask: no taxonomy 'icd9' is built in, and there is no such file. Did you mean 'icd9cm'? "
        "Built in are: icd9cm, icd9cm_procedures, icd10cm, wordnet. Else give the path of a file."
    )
    assert "no such file or folder. Did you mean 'pains.csv'?" in fails("show", place / "pain.csv")
    assert "the file holds zero bytes" in fails("show", place / "bad.obo")
    assert "no taxonomy format 'obb'. Did you mean 'obo'?" in fails("show", place / "pains.csv", "--format", "obb")
    assert "'icd9cm' is built in and takes no format" in fails("show", "icd9cm", "--format", "obo")
    assert "'' is not a path" in fails("show", "")
    assert "need a TAXONOMY" in fails("show", "--concept", "7")
    for command in ("match", "cover"):
        gone = fails(command, place / "pains.csv", place / "peple.csv", "--column", "job")
        assert "no such file. Did you mean 'people.csv'? Check the path." in gone
        unknown = fails(command, place / "pains.csv", *table, "jbo")
        assert "people.csv: no column 'jbo'. Did you mean 'job'? There are: 'id', 'pain', 'job'." in unknown
        none = fails(command, place / "pains.csv", place / "people.csv")
        assert "it has 3 columns, and none is named. Name one of: 'id', 'pain', 'job'." in none
        assert "no such mapping file" in fails(command, place / "pains.csv", *table, "job", "--mapping", "gone.csv")


def test_a_column_without_values(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,\n2,\n", encoding="utf-8")
    assert "column 'b': holds no value at all" in fails(
        "cover", place / "jobs.csv", tmp_path / "x.csv", "--column", "b"
    )


@pytest.mark.parametrize("command", ["show", "search", "path", "convert", "match", "cover"])
def test_help_shows_an_example(command: str) -> None:
    out, _ = run(command, "--help")
    assert f"\n    ontomask taxonomy {command} " in out
    assert "--json" in out
    assert "Exit codes: 0 " in out
    assert ("1 some are not" in out) == (command == "cover")


# ---- real files -------------------------------------------------------------------------------------------------


def test_the_adult_hierarchies_cover_adult(data: Path) -> None:
    adult = data / "adult"
    for hierarchy in sorted(adult.glob("adult_hierarchy_*.csv")):
        column = hierarchy.stem.removeprefix("adult_hierarchy_")
        out, _ = run("cover", hierarchy, adult / "adult.csv", "--column", column)
        assert "30,162 of 30,162 records: all of them" in out
    said = facts("cover", adult / "adult_hierarchy_race.csv", adult / "adult.csv", "--column", "sex", code=1)
    assert (said["uncovered_values"], said["uncovered_records"]) == (2, 30162)


def test_hpo(data: Path) -> None:
    out, _ = run("search", data / "taxonomies" / "hp.obo", "seizure", "--limit", "1")
    assert re.search(r"HP:0001250 +Seizure +\.\.\. > Phenotypic abnormality > ", out)


def test_countries_in_wordnet(data: Path, wordnet: om.Taxonomy) -> None:
    said = facts("match", "wordnet", data / "adult" / "adult.csv", "--column", "native-country")
    assert {row["value"] for row in said["not_found"]} == {
        "Hong", "Trinadad&Tobago", "Outlying-US(Guam-USVI-etc)", "Holand-Netherlands",
    }  # fmt: skip
    assert next(row for row in said["matched"] if row["value"] == "Yugoslavia")["others"] == ["yugoslavia.n.02"]
