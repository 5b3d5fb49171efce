"""Policies of projects: edits of pages and of the YAML go the same way, and an invalid one changes nothing."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ontomask as om
from ontomask.app import cards, policy_edits, reopening, tables, tasks
from ontomask.app.candidates import with_candidate
from ontomask.app.job_files import read_job
from ontomask.app.left_values import leave_value, left_values, take_up
from ontomask.app.pages import comparing, meaning, requirements, result, roles
from ontomask.app.projects import Outdated, Project
from ontomask.app.results import RunInfo, risk_key
from ontomask.app.storage import Locked, is_id, lock, new_id, shown_name
from ontomask.app.tasks import perform
from ontomask.app.work import Work
from ontomask.app.worker import Watch, do
from ontomask.app.workspace import Workspace
from ontomask.comparison.grid import grid
from ontomask.errors import OntomaskError, OptionError
from ontomask.policy.policy import METHODS, MODELS
from ontomask.statements import KINDS
from tests.contract.test_new_unit import ByPractice
from tests.places import AREAS


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    made = Workspace.open(tmp_path_factory.mktemp("app") / "projects")
    made.queue.tend = lambda: None  # type: ignore[method-assign] # jobs are done here
    return made


def done(workspace: Workspace, project: Project, kind: str, **arguments: object) -> dict[str, object]:
    """Do a job in this process, as the worker does."""
    job = workspace.queue.start(project, kind, **arguments)
    do(workspace.queue, job, _NOBODY)
    for entry in (workspace.folder / "queue").iterdir():
        entry.unlink()
    found = read_job(job.folder)
    assert found is not None
    assert found.state == "done", found.error
    return found.answer()


class _Nobody(Watch):
    """Nobody asks to stop."""

    def __init__(self) -> None:
        self.asked = False

    def begin(self, job: object) -> None: ...
    def end(self) -> None: ...


_NOBODY = _Nobody()


@pytest.fixture(scope="module")
def opened(workspace: Workspace) -> Project:
    """A project that was read, to be copied: reading takes a second."""
    made = workspace.demo(80)
    done(workspace, made, "open")
    return made


@pytest.fixture
def project(workspace: Workspace, opened: Project) -> Iterator[Project]:
    id = new_id()
    shutil.copytree(opened.folder, workspace.folder / id)
    made = workspace.project(id)
    yield made
    workspace.delete(made)


def test_an_invalid_policy_replaces_nothing(project: Project) -> None:
    before, revision = project.policy_text, project.policy_revision
    for text, said in [
        ("attributes: [", "not valid YAML"),
        ("", "not a policy file"),
        ("attributes: {}", "no column is listed"),
        (before.replace("role: quasi", "role: quasy", 1), "quasy"),
        (before + "\nmethods: x\n", "methods"),
        ("x" * (6 << 20), "more than 2 MB"),
        (before + "# \udcff", "not text"),
        (before + "\n# a remark\u2028row_order: shuffled\n", "a line break that editors do not show .U.2028"),
        (before + "\n# a remark\x85row_order: shuffled\n", "line [0-9]+: it holds a line break .*U.0085"),
        (
            "attributes:\n" + "".join(f"  c{i}: {{kind: flat, role: other}}\n" for i in range(15_000)),
            "more than 30,000",
        ),
        (before.replace("taxonomy: icd9cm", "taxonomy: data.csv", 1), "not an upload of this project"),
        (before.replace("taxonomy: icd9cm", "taxonomy: ./runs", 1), "not an upload of this project"),
        (before.replace("taxonomy: icd9cm", "taxonomy: /usr", 1), "not in its folder"),
    ]:
        with pytest.raises(OntomaskError, match=said) as problem:
            project.set_policy_text(text)
        assert "part-" not in str(problem.value)
        assert str(project.folder) not in str(problem.value)
        assert (project.policy_text, project.policy_revision) == (before, revision)
    assert not [path for path in project.folder.iterdir() if path.name.startswith("part-")]


def test_two_pages_see_each_others_changes(project: Project) -> None:
    text = project.policy_text
    first = project.set_policy_text(text.replace("k: 5", "k: 6"))
    assert first == project.policy_revision
    assert project.set_policy_text(text, expected=first) == first + 1
    with pytest.raises(Outdated, match="changed elsewhere"):
        project.set_policy_text(text, expected=first)
    assert project.policy_revision == first + 1


def test_a_page_changes_one_thing_and_keeps_the_rest(project: Project) -> None:
    before = project.policy()
    policy = policy_edits.set_role(project, "charge", "quasi")
    assert policy.quasi_identifiers == [*before.quasi_identifiers[:4], "charge", *before.quasi_identifiers[4:]]
    assert policy_edits.set_role(project, "race", "identifier").identifiers == ["race"]
    assert policy_edits.set_role(project, "race", "sensitive").attributes["race"].kind == "flat"
    policy = policy_edits.set_k(project, 7)
    assert (policy.stated_k, policy.required_k) == (7, 7)
    policy = policy_edits.set_method(project, "recoding")
    assert (policy.method.name, policy.stated_k) == ("recoding", 7)  # type: ignore[union-attr]
    policy = policy_edits.set_required(
        project, [{"name": "k_anonymity", "k": 4}, {"name": "l_diversity", "l": 2, "attribute": "race"}]
    )
    assert [model.describe() for model in policy.require] == ["4-anonymity", "distinct 2-diversity of race"]
    policy = policy_edits.set_taxonomy(project, "procedure", None)
    assert policy.attributes["procedure"].kind == "flat"
    policy = policy_edits.set_taxonomy(project, "procedure", "icd9cm_procedures")
    assert policy.attributes["procedure"].named_taxonomy == "icd9cm_procedures"
    policy = policy_edits.set_mapping(project, "diagnosis", {"sugar": "250", "flu": "487"})
    policy = policy_edits.set_mapping(project, "diagnosis", {"flu": None})
    assert policy.attributes["diagnosis"].mapping == {"sugar": "250"}  # type: ignore[union-attr]
    policy = policy_edits.set_column(project, "age", weight=2.0)
    assert policy.attributes["age"].weight == 2.0  # type: ignore[union-attr]
    policy = policy_edits.set_kind(project, "age", "ordinal")
    assert (policy.attributes["age"].kind, policy.attributes["age"].weight) == ("ordinal", 2.0)  # type: ignore[union-attr]
    policy = policy_edits.set_reading(project, missing=["NA"], text=["procedure"])
    assert policy.reading.given == {"missing": ["NA"], "text": ["procedure"]}
    assert "# The name suggests an age" in project.policy_text, "the reasons stay"
    assert om.Policy.load(project.folder / "policy.yaml", confined=True).attributes.keys() == before.attributes.keys()


def test_k_is_that_of_all_models_that_have_it(project: Project) -> None:
    policy_edits.set_k(project, 5)
    same, own = {"name": "probabilistic_k_anonymity", "k": 5}, {"name": "probabilistic_k_anonymity", "k": 9}
    policy_edits.set_required(project, [{"name": "k_anonymity", "k": 4}, same, own])
    policy = policy_edits.set_k(project, 6)
    assert [(model.name, model.stated_k) for model in policy.require] == [
        ("k_anonymity", 6),
        ("probabilistic_k_anonymity", 6),
        ("probabilistic_k_anonymity", 9),
    ]
    assert policy.stated_k == 6


def test_every_method_can_be_tried() -> None:
    tried = comparing.offered()
    assert set(tried) == set(METHODS) == {card["name"] for card in cards.method_cards()}
    assert {name for name, preset in tried.items() if preset} == set(comparing.PRESET)
    assert list(grid(om.Policy(attributes={"age": om.Numeric()}), ["pram", "suppression"], [2, 3])) == [
        "pram",
        "suppression, k=2",
        "suppression, k=3",
    ]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("  attributes:\n    age:\n      kind: numeric\n", {}),
        ("---\nattributes:\n  age:\n    kind: numeric\n...\n", {}),
        ("attributes:\n  age:\n    kind: numeric\n    missing_markers: [x]  # mine\n", {"missing_markers": ["a # b"]}),
    ],
)
def test_a_text_that_cannot_be_changed_in_place_is_written_anew(
    project: Project, text: str, settings: dict[str, object]
) -> None:
    project.set_policy_text(text)
    made = policy_edits.set_column(project, "age", **settings) if settings else policy_edits.set_k(project, 5)
    made = policy_edits.set_method(project, "recoding")
    assert (made.method, made.attributes["age"].missing_markers) == (
        om.Recoding(k=5),
        settings.get("missing_markers", []),
    )
    assert om.Policy.load(project.folder / "policy.yaml", confined=True) == made


def test_a_candidate_brings_its_method_and_takes_back_nothing_that_was_decided_since() -> None:
    attributes = {"age": om.Numeric(), "illness": om.Nominal(taxonomy="icd10cm"), "name": om.Flat(role="other")}
    compared = om.Policy(attributes=attributes, method=om.Microaggregation(k=5), require=[om.KAnonymity(k=5)])
    tried = om.grid(compared, ["microaggregation", "generalization"], k=[5, 10], baselines=True)
    now = compared.changed(attributes=attributes | {"name": om.Identifier()}, require=[om.KAnonymity(k=4)])

    def take(policy: om.Policy, name: str) -> om.Policy:
        return with_candidate(policy, compared, tried.values(), tried[name])

    assert take(now, "microaggregation, k=10") == now.changed(method=om.Microaggregation(k=10))
    aimed = take(now, "generalization, k=10")
    assert (aimed.required_k, aimed.attributes) == (10, now.attributes)
    plain = take(aimed, "microaggregation, k=5, labels only")
    assert plain.required_k == 4, "the aim of the candidate before goes with it"
    assert (plain.attributes["illness"].kind, plain.attributes["name"].kind) == ("flat", "identifier")
    assert take(plain, "microaggregation, k=5") == now
    other = now.changed(attributes=now.attributes | {"illness": om.Nominal(taxonomy="icd10cm", role="other")})
    assert take(other, "microaggregation, k=10").attributes == other.attributes
    with pytest.raises(OntomaskError, match="column 'illness' was changed after the comparison. Compare again"):
        take(other, "microaggregation, k=5, labels only")


def test_a_change_while_a_file_is_read_again_is_kept(
    workspace: Workspace, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed, calls = tasks._text_with_decisions, []

    def meanwhile(*given: Any) -> Any:
        made = proposed(*given)
        if not calls:
            policy_edits.set_role(project, "race", "identifier")
        calls.append(1)
        return made

    monkeypatch.setattr(tasks, "_text_with_decisions", meanwhile)
    done(workspace, project, "open")
    assert (len(calls), project.policy().identifiers) == (2, ["race"])


def test_nothing_is_of_a_new_reading_whose_policy_cannot_be_written(
    workspace: Workspace, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rows = project.info, (project.folder / "table.parquet").read_bytes()

    def refuse(*_: object) -> None:
        raise OptionError("no", remedy="Stop.")

    monkeypatch.setattr(Project, "set_policy_text", refuse)
    with pytest.raises(AssertionError, match="no. Stop"):
        done(workspace, project, "open", reading={"text": ["age"]})
    assert (project.info, (project.folder / "table.parquet").read_bytes()) == (before, rows)


def test_a_policy_of_an_earlier_file_is_not_taken_for_the_next(project: Project) -> None:
    text, revision = project.policy_text, project.policy_revision
    project.receive_data("other.csv", [b"a,b\n1,2\n3,4\n"])
    with pytest.raises(Outdated):
        project.set_policy_text(text, expected=revision)
    assert not project.policy_text


def test_the_risk_is_of_the_records_that_are_kept() -> None:
    age, ward = om.Numeric(), om.Flat(role="other", missing="drop_record")
    policy = om.Policy(attributes={"age": age, "ward": ward})
    marked = om.Policy(attributes={"age": age, "ward": ward.changed(missing_markers=["?"])})
    assert risk_key(policy) == risk_key(policy.changed(method=om.Recoding(k=3)))
    assert risk_key(policy) != risk_key(marked)


def test_the_app_asks_the_policy_what_is_counted() -> None:
    """A policy that counts practices, which the app does not know."""
    columns = {"doctor": om.Identifier(), "nurse": om.Identifier(), "age": om.Numeric(), "job": om.Flat()}
    records = om.Policy(attributes=columns)
    by_doctor, by_nurse = (ByPractice(attributes=columns, practice=name) for name in ("doctor", "nurse"))
    persons = records.changed(person=["doctor"])
    assert len({risk_key(policy) for policy in (records, by_doctor, by_nurse, persons)}) == 4
    assert risk_key(persons) != risk_key(persons.changed(household=["nurse"]))
    assert roles.told_of_units(records) == ""
    assert (
        roles.told_of_units(by_doctor)
        == "Several records may belong to one practice, by doctor. Practices are counted, not records."
    )
    assert roles.told_of_units(persons).endswith("Persons are counted, not records.")
    assert reopening._named(by_doctor) == {"doctor"}


def test_entries_of_cells_with_several_are_not_called_records(workspace: Workspace) -> None:
    project = workspace.create("several")
    project.receive_data("a.csv", [b"codes,n\n" + b"a;b,1\na,2\n" * 3])
    done(workspace, project, "open")
    stored = project.receive_taxonomy("t.csv", [b"child,parent\na,top\nb,top\n"])
    project.set_policy_text(f"attributes:\n  codes: {{kind: nominal, taxonomy: {stored}, many: ;}}\n")
    found = done(workspace, project, "match", column="codes")
    assert (found["counted"], found["records"]) == ("entries", 9)
    project.set_policy_text(f"attributes:\n  codes: {{kind: nominal, taxonomy: {stored}}}\n")
    assert done(workspace, project, "match", column="codes")["counted"] == "records"


def test_areas_have_a_taxonomy_that_belongs_to_their_kind(workspace: Workspace) -> None:
    """To choose another would release areas that are too small, and to map a code is not possible."""
    project = workspace.create("areas")
    project.receive_data("a.csv", [b"zip,job\n" + b"01001,a\n01002,a\n020,b\n" * 3])
    done(workspace, project, "open")
    stored = project.receive_taxonomy("areas.csv", [AREAS.encode()])
    text = f"attributes:\n  zip: {{kind: place, table: {stored}}}\n  job: {{kind: flat}}\n"
    project.set_policy_text(text)
    found = done(workspace, project, "match", column="zip")
    assert (found["taxonomy"], found["values"], found["records"], found["unmatched_values"]) == (stored, 3, 9, 0)
    assert sorted(row["concept"] for row in found["matched"]) == ["010", "01002", "02"]  # type: ignore[attr-defined]
    assert any("fewer than 20,000" in note for note in found["notes"])  # type: ignore[attr-defined]
    view = SimpleNamespace(project=project)
    assert meaning._columns(view, project.policy()) == {"zip": "areas.csv", "job": meaning.NONE}  # type: ignore[arg-type]
    for taxonomy in ("icd9cm", None):
        with pytest.raises(OptionError, match="the taxonomy of column 'zip' belongs to its kind: areas with their pop"):
            policy_edits.set_taxonomy(project, "zip", taxonomy)
    with pytest.raises(OptionError, match="'zip' are taken as they are, for they are areas with their populations"):
        policy_edits.set_mapping(project, "zip", {"020": "US"})
    with pytest.raises(OptionError, match="'job' has no taxonomy"):
        policy_edits.set_mapping(project, "job", {"a": "b"})
    assert project.policy_text == text
    workspace.delete(project)


def test_a_result_shows_the_roles_of_its_run(project: Project) -> None:
    with project.locked():
        project.keep_policy()
    run = RunInfo("run", 0.0, "done", project.policy_revision)
    before = {one["name"]: one["tint"] for one in result._columns(project, run)}
    policy_edits.set_role(project, "race", "identifier")
    assert {one["name"]: one["tint"] for one in result._columns(project, run)} == before
    assert before["race"] != "identifier"


def test_every_kind_of_statement_is_shown_on_a_result() -> None:
    said = [{"kind": kind, "subject": "", "text": f"a {kind} of them"} for kind in KINDS]
    shown = result.by_kind([{"kind": "unheard", "subject": "", "text": "last"}, *reversed(said), said[0]])
    assert list(shown) == [*(result.HEADINGS[kind] for kind in KINDS), "Unheard"]
    assert [text for texts in shown.values() for text in texts] == [*(one["text"] for one in (said[0], *said)), "last"]


def test_a_wrong_change_is_one_message(project: Project) -> None:
    before = project.policy_text
    for change in (
        lambda: policy_edits.set_role(project, "age", "king"),
        lambda: policy_edits.set_role(project, "ages", "quasi"),
        lambda: policy_edits.set_kind(project, "age", "nominal"),
        lambda: policy_edits.set_taxonomy(project, "age", "/etc/passwd"),
        lambda: policy_edits.set_method(project, "magic"),
        lambda: policy_edits.set_method(project, "microaggregation", k=0),
        lambda: policy_edits.set_method(project, "microaggregation", partition="sideways"),
        lambda: policy_edits.set_k(project, 0),
        lambda: policy_edits.set_required(project, [{"name": "k_anonymity"}, {"name": "trust"}]),
        lambda: policy_edits.set_column(project, "age", colour="red"),
        lambda: policy_edits.set_mapping(project, "age", {"1": "2"}),
        lambda: policy_edits.set_reading(project, delimiter="ab"),
        lambda: policy_edits.use_candidate(project, "nothing"),
    ):
        with pytest.raises(OntomaskError) as problem:
            change()
        assert "\n\n" not in str(problem.value)
        assert project.policy_text == before


def test_hostile_columns_and_values_are_only_texts(workspace: Workspace) -> None:
    names = ["<script>alert(1)</script>", "^a", ":onclick", "__proto__", "'; drop table", "={1+1}"]
    cells = ["<img src=x onerror=alert(1)>", "{{7*7}}", "${jndi:ldap://x}", "\u202e", "javascript:alert(1)"]
    table = ",".join(f'"{name}"' for name in names) + "\n"
    table += "".join(",".join(f'"{cells[(i + j) % 5]}"' for j in range(len(names))) + "\n" for i in range(60))
    project = workspace.create("<b>title</b>\n\r\0")
    assert project.info.title == "<b>title</b>"
    project.receive_data("<i>x</i>.csv", io.BytesIO(table.encode()))
    found = done(workspace, project, "open")
    assert [column["name"] for column in found["columns"]] == names  # type: ignore[attr-defined]
    rows = tables.rows(project, 0, 2)
    assert rows["columns"] == names
    assert rows["rows"][0] == [cells[j % 5] for j in range(len(names))]
    for name in names:
        assert tables.sharing(project, {name: cells[0]})["count"] == 12
    assert list(project.policy().attributes) == names
    workspace.delete(project)


def test_uploads_of_severity_definitions_are_read_first(project: Project) -> None:
    text = om.Severity.example_file("demo").read_bytes()
    stored = project.receive_severity("our severity.yaml", [text])
    assert project.info.severities == {stored: "our severity.yaml"}
    with pytest.raises(OntomaskError, match="broken.yaml") as problem:
        project.receive_severity("broken.yaml", [b"classes: ["])
    assert str(project.folder) not in str(problem.value)
    foreign = text.replace(b"icd9cm", b"/etc/passwd")
    assert foreign != text
    with pytest.raises(OntomaskError, match="not an upload of this project"):
        project.receive_severity("foreign.yaml", [foreign])
    assert list(project.info.severities) == [stored]
    assert not (project.folder / "severity-2.yaml").exists()
    model = {"name": "severity_diversity", "l": 2, "severity": stored}
    policy = policy_edits.set_required(project, [model])
    assert policy.severity is not None


def test_the_bar_never_shows_figures_of_another_policy(workspace: Workspace, project: Project) -> None:
    done(workspace, project, "risk")
    before = project.bar()
    assert before.unique_before is not None
    assert (before.records, before.units, before.counted) == (80, 80, "records")
    policy_edits.set_k(project, 6)
    assert project.bar().unique_before == before.unique_before, "k changes nothing about the original"
    policy_edits.set_role(project, "diagnosis", "other")
    assert project.bar().unique_before is None
    run = done(workspace, project, "run", report=False)
    bar = project.bar()
    assert (bar.unique_after, bar.outdated) == (run["unique"], False)
    assert [one.state for one in bar.requirements] == ["holds"]
    policy_edits.set_k(project, 9)
    bar = project.bar()
    assert bar.outdated
    assert [(one.title, one.state) for one in bar.requirements] == [("9-anonymity", "unknown")]
    policy_edits.set_k(project, 6)
    assert not project.bar().outdated, "changed back"


def test_the_bar_counts_records_and_persons(workspace: Workspace) -> None:
    project = workspace.create("persons")
    rows = "".join(f"p{i % 60},{20 + i % 7},{'fm'[i % 2]}\n" for i in range(150))
    project.receive_data("visits.csv", [("patient_id,age,sex\n" + rows).encode()])
    done(workspace, project, "open")
    assert project.policy().person == ["patient_id"]
    done(workspace, project, "risk")
    bar = project.bar()
    assert (bar.records, bar.units, bar.counted) == (150, 60, "persons")
    workspace.delete(project)


def test_data_are_not_replaced_while_a_job_works_on_them(workspace: Workspace) -> None:
    project = workspace.demo(60)
    job = workspace.queue.start(project, "open")
    with pytest.raises(OptionError, match="a job of this project is not over yet"):
        project.receive_data("other.csv", [b"a,b\n1,2\n"])
    workspace.queue.cancel(job)
    assert project.receive_data("other.csv", [b"a,b\n1,2\n"]).name == "other.csv"
    workspace.delete(project)


def test_every_method_and_model_has_a_card() -> None:
    methods = {card["name"]: card for card in cards.method_cards()}
    assert set(methods) == set(METHODS) == set(cards.KEPT)
    assert all(card["title"] and card["text"] and card["kept"] for card in methods.values())
    assert methods["microaggregation"]["promises"]
    settings = {one["name"]: one for one in methods["microaggregation"]["settings"]}
    assert settings["partition"]["choices"]
    assert settings["k"]["type"] == "whole"
    models = {card["name"]: card for card in cards.model_cards()}
    assert set(models) == set(MODELS)
    assert all(card["title"] and card["text"] for card in models.values())
    assert [one["name"] for one in requirements.asked(models["km_anonymity"])] == ["k", "m"]
    toy = models["k_anonymity"] | {"settings": [{"name": "own", "required": True}, {"name": "left", "required": False}]}
    assert [one["name"] for one in requirements.asked(toy)] == ["own"]
    assert "icd9cm" in [entry["name"] for entry in cards.catalog()]


# ---- storage ---------------------------------------------------------------------------------------------------------


def test_names_are_random_and_nothing_else_is_one() -> None:
    assert is_id(new_id())
    assert new_id() != new_id()
    assert not any(map(is_id, ["", "..", "0" * 15, "G" * 16, "0" * 16 + "\n", None, 7, "../" + "0" * 13]))
    assert shown_name("a\0b\x1b[31m" + "x" * 500, "none")[:7] == "a b [31"
    assert shown_name(" \n ", "none") == "none"


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    with lock(tmp_path / "lock"), pytest.raises(Locked), lock(tmp_path / "lock", wait=0.05):
        pass
    with lock(tmp_path / "lock", wait=0):
        pass


def test_a_task_asks_for_its_data(workspace: Workspace) -> None:
    project = workspace.demo(60)
    job = workspace.queue.start(project, "open")
    (project.folder / "data.csv").unlink()
    with pytest.raises(OntomaskError, match="the data of the project are gone"):
        perform(Work(job, project, lambda fraction, message: None))
    with pytest.raises(OptionError, match="no step"):
        project.update(step="../x")
    workspace.delete(project)


def test_a_policy_is_read_once_for_each_change(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars and jobs ask for it all the time, and a wide table has a long one."""
    project = workspace.create()
    project.receive_data("a.csv", [b"age,sex\n" + b"30,f\n41,m\n" * 20])
    text = "attributes: {age: {kind: numeric}, sex: {kind: flat}}\nmethod: {name: microaggregation, k: 3}\n"
    project.set_policy_text(text)
    first = project.policy()
    with monkeypatch.context() as patched:
        patched.setattr(om.Policy, "load", None)  # a second reading would be an error
        assert project.policy() is first
        assert Project(project.folder, 0).bar().requirements == []
    project.set_policy_text(text.replace("k: 3", "k: 4"))  # as long as before
    assert project.policy().stated_k == 4


@pytest.mark.parametrize("records", [2, 4])
def test_a_file_of_few_records_gets_a_k_that_fits(workspace: Workspace, records: int) -> None:
    project = workspace.create()
    rows = [b"30,f,12000\n", b"41,m,9000\n", b"52,f,7000\n", b"63,m,8000\n"]
    project.receive_data("few.csv", [b"age,sex,charge\n", *rows[:records]])
    assert f"k can be at most {records}" in str(done(workspace, project, "open")["notes"])
    assert project.policy().stated_k == project.policy().required_k == records


def test_a_file_of_one_record_says_what_to_do(workspace: Workspace) -> None:
    project = workspace.create()
    project.receive_data("one.csv", [b"age,sex,charge\n30,f,12000\n"])
    with pytest.raises(AssertionError, match=r"one.csv: the file has 1 record\. .* upload a file with more"):
        done(workspace, project, "open")


def test_a_run_is_titled_by_the_k_of_its_method_and_its_report_names_the_downloaded_policy(
    workspace: Workspace,
) -> None:
    """Rank swapping by percent has no k, whatever is required."""
    project = workspace.create()
    project.receive_data("a.csv", [b"age,sex\n" + b"30,f\n41,m\n52,f\n" * 20])
    project.set_policy_text(
        "attributes: {age: {kind: numeric}, sex: {kind: flat}}\nmethod: {name: rank_swapping, percent: 5}\n"
        "require: [{name: k_anonymity, k: 2}]\n"
    )
    answer = done(workspace, project, "run")
    run = project.runs()[0]
    assert (run.method, run.k) == ("rank_swapping", None)
    assert not [note for note in run.notes if "changed on disk" in note["text"]]
    result = project.folder / "runs" / run.id / "result"
    reports = [path.read_text(encoding="utf-8") for path in result.rglob("*.html")]
    assert len(reports) == 2
    assert all("policy.yaml" in report and "policy-1.yaml" not in report for report in reports)
    assert "policy-1.yaml" not in str(answer)


# ---- values ----------------------------------------------------------------------------------------------------------


def test_values_that_are_left_stay_so_until_somebody_takes_them_up(workspace: Workspace) -> None:
    project = workspace.create()
    leave_value(project, "job", "<b>")
    leave_value(project, "job", "clerk")
    leave_value(project, "job", "<b>")
    leave_value(project, "town", "x")
    again = workspace.project(project.id)
    assert (left_values(again, "job"), left_values(again, "age")) == ({"<b>", "clerk"}, set())
    take_up(again, "job")
    assert (left_values(project, "job"), left_values(project, "town")) == (set(), {"x"})
    project.receive_data("a.csv", [b"age,sex\n1,f\n"])
    assert left_values(project, "town") == set(), "they are of another file"


def test_a_cell_may_hold_a_book(workspace: Workspace) -> None:
    """A long text is read, and pages show its beginning."""
    project = workspace.create()
    codes = ["250.00", "401.9", "486"]
    rows = "".join(f"{20 + i % 30},{'asthma ' * 300_000 if i == 7 else codes[i % 3]}\n" for i in range(60))
    project.receive_data("books.csv", [f"age,diagnosis\n{rows}".encode()])
    found = done(workspace, project, "open")
    assert len(str(found)) < 20_000
    assert len(tables.rows(project, 7, 1)["rows"][0][1]) == tables.LONGEST_CELL
    policy_edits.set_taxonomy(project, "diagnosis", "icd9cm")
    matched = done(workspace, project, "match", column="diagnosis")
    assert (matched["unmatched"], matched["unmatched_values"], matched["unmatched_records"]) == ([], 1, 1)
    assert "1 value without a concept has more than 1,000 characters" in str(matched["notes"])
    assert len(str(matched)) < 50_000


# ---- what somebody wrote or decided ----------------------------------------------------------------------------------


def test_comments_of_a_steward_stay_when_a_page_changes_the_policy(project: Project) -> None:
    own = "# agreed with the ethics board: nobody knows the race"
    text = project.policy_text.replace("  race:\n", f"  # a line of mine\n  race:\n    {own}\n")
    assert own in text
    project.set_policy_text(text)
    policy_edits.set_k(project, 7)
    policy_edits.set_role(project, "race", "sensitive")
    policy_edits.set_method(project, "recoding")
    policy_edits.set_required(
        project, [{"name": "k_anonymity", "k": 4}, {"name": "l_diversity", "l": 2, "attribute": "race"}]
    )
    stored = project.receive_taxonomy("mine.csv", [b"child,parent\n250.00,all\n401.9,all\n"])
    policy_edits.set_taxonomy(project, "diagnosis", stored)
    policy_edits.set_mapping(project, "diagnosis", {"sugar: 'x' #1": "250.00"})
    policy_edits.set_reading(project, missing=["NA"])
    assert own in project.policy_text
    assert "  # a line of mine\n  race:\n" in project.policy_text
    assert project.policy().attributes["diagnosis"].mapping == {"sugar: 'x' #1": "250.00"}  # type: ignore[union-attr]


def test_a_text_on_one_line_is_written_anew(project: Project) -> None:
    text = "{attributes: {age: {kind: numeric}, sex: {kind: flat}}, method: {name: microaggregation, k: 3}}\n"
    project.set_policy_text(text)
    assert policy_edits.set_role(project, "sex", "other").quasi_identifiers == ["age"]
    assert "\n  sex:\n" in project.policy_text


def test_reading_again_keeps_what_was_decided(workspace: Workspace) -> None:
    project = workspace.create()
    rows = "".join(f"{20 + i % 40};{'fm'[i % 2]};{i * 37 % 61};{i % 5},5;{'ab'[i % 2]}\n" for i in range(80))
    project.receive_data("a.csv", [f"age;sex;days;pay;group\n{rows}".encode()])
    done(workspace, project, "open")
    first = project.policy()
    assert first.attributes["days"].kind == "numeric"
    policy_edits.set_role(project, "sex", "sensitive")
    policy_edits.set_kind(project, "group", "ordinal", order=["b", "a"])
    policy_edits.set_method(project, "recoding", k=4)
    found = done(workspace, project, "open", reading={"text": ["days"]})
    policy = project.policy()
    assert policy.attributes["sex"] == first.attributes["sex"].changed(role="sensitive")
    assert (policy.attributes["group"].kind, policy.attributes["group"].order) == ("ordinal", ["b", "a"])  # type: ignore[union-attr]
    assert (policy.method.name, policy.stated_k) == ("recoding", 4)  # type: ignore[union-attr]
    assert policy.attributes["days"].kind != "numeric"
    assert policy.reading.given == {"text": ["days"]}
    assert (found["kept"], found["anew"], found["fits"]) == (["sex", "group"], ["days"], True)
    again = done(workspace, project, "open", reading={"text": ["days"]})
    assert (again["kept"], again["anew"]) == (["sex", "group"], [])
    assert project.policy() == policy
    policy_edits.set_required(project, [{"name": "l_diversity", "l": 2, "attribute": "sex"}])
    other = done(workspace, project, "open", reading={"delimiter": "|"})
    assert (other["kept"], other["fits"]) == ([], False), "there is one column, and it is another"


def test_notes_are_true_of_the_file_that_is_handed_out(workspace: Workspace) -> None:
    project = workspace.create()
    rows = "".join(f"{20 + i % 5},{'=1+1' if i % 4 == 0 else 'x'}\n" for i in range(40))
    project.receive_data("a.csv", [f"age,note\n{rows}".encode()])
    project.set_policy_text(
        "attributes: {age: {kind: numeric}, note: {kind: flat, role: other}}\nmethod: {name: microaggregation, k: 2}\n"
    )
    for escape, said in ((True, "in the release a quote stands before each"), (False, "escape_formulas")):
        answer = done(workspace, project, "run", report=False, escape_formulas=escape)
        (told,) = [note["text"] for note in answer["notes"] if "as formulas" in note["text"]]  # type: ignore[attr-defined]
        assert said in told
        release = next((project.folder / "runs" / project.runs()[0].id).glob("result/release/release.csv"))
        assert ("'=1+1" in release.read_text()) is escape
