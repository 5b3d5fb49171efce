"""Step 6, result: the runs, before and after side by side, what is verified, and the files to hand out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.app.kept_policies import policy_in
from ontomask.app.pages import parts, progress, shell
from ontomask.app.pages.plain import with_short_names
from ontomask.app.pages.roles import role_of
from ontomask.app.pages.view import View
from ontomask.app.pages.words import moment, number, percent, seconds
from ontomask.app.projects import Project
from ontomask.app.results import RunInfo
from ontomask.statements import KINDS

#: Roles in the narrow headers of two tables side by side.
SHORT = {"identifier": "identifier", "quasi": "quasi", "sensitive": "sensitive", "other": "other"}
#: Sentences that are shown before the others unfold.
SHOWN = 5
STATES = {
    "queued": "waiting",
    "running": "working",
    "done": "done",
    "failed": "stopped by an error",
    "cancelled": "cancelled",
}
#: Headings of statements by their kind; a kind without one is shown under its own name.
HEADINGS = {
    "failed": "Not satisfied",
    "warning": "Warnings",
    "promised": "Promised by the method",
    "verified": "Verified on the release",
    "recorded": "Recorded during the run",
    "tried": "Attacks that were carried out",
    "caveat": "What is not promised",
    "assumed": "What is assumed",
    "note": "Notes",
}


def build(view: View) -> None:
    """Draw the step."""
    shell.opening(
        "What came out?", "Look at the release before you hand it out. Every run of this project is kept here."
    )
    if not shell.needs_data(view):
        return
    working = progress.running(view, ["run"], "Making the release")
    runs = view.project.runs()
    done = [run for run in runs if run.state == "done"]
    if working and not done:
        return
    if not done:
        parts.notice("There is no release yet. Start a run in step 5.")
        parts.link("To step 5: Method", view.page("method"), "button")
        return
    chosen = view.project.info.chosen_run
    run = next((one for one in done if one.id == chosen), done[0])
    if len(runs) > 1:
        _runs(view, runs, run)
    _verdict(run)
    _figures(run)
    _downloads(view, run)
    _pairs(view, run)
    _words(run, [column["name"] for column in (view.project.opened or {"columns": []})["columns"]])


def _runs(view: View, runs: list[RunInfo], shown: RunInfo) -> None:
    def cell(run: RunInfo) -> Any:
        async def choose() -> None:
            view.project.update(chosen_run=run.id)
            await view.draw()

        def fill() -> None:
            if run.id == shown.id:
                parts.badge("✓ shown", "holds")
            elif run.state == "done":
                parts.button("Show", view.safely(choose), "small", aria_label=f"Show the run of {moment(run.created)}")

        return fill

    rows = [
        (
            moment(run.created),
            _named(run),
            STATES[run.state] if run.state != "done" else _word(run),
            percent(run.loss),
            percent(run.linkage),
            number(run.unique),
            seconds(run.seconds),
            cell(run),
        )
        for run in runs
    ]
    with parts.tag("section", None, "card", aria_label="Runs"):
        parts.heading(2, "Runs")
        parts.plain_table(
            ("made", "method", "state", "loss (IL)", "linkage", "unique", "took", ""),
            rows,
            numbers=(3, 4, 5),
            label="Runs",
        )


def _named(run: RunInfo) -> str:
    return (run.title or run.method or "") + (f", k = {run.k}" if run.k else "")


def _word(run: RunInfo) -> str:
    return "satisfied" if run.satisfied else "NOT satisfied"


def _verdict(run: RunInfo) -> None:
    if run.satisfied and run.promises is not False:
        parts.notice(f"Satisfied: {_named(run)} meets everything that is required.")
    elif run.satisfied:
        parts.notice("Nothing was promised: no requirement asks for anything that protects records.", "warn")
    else:
        parts.notice(
            "Not satisfied: this release fails what is required. Mask more strongly, or change the requirements.", "bad"
        )


def _figures(run: RunInfo) -> None:
    unit = run.counted
    with parts.tag("div", None, "figures"):
        parts.figure(
            f"unique {unit}",
            number(run.unique),
            f"{number(run.unique_before)} {unit} were unique in the original; in the release {_are(run.unique)}.",
            "unique_records",
        )
        parts.figure(
            "information loss (IL)",
            percent(run.loss),
            "0% is the original itself; 100% is as bad as one value for all.",
            "loss",
        )
        parts.figure(
            "linkage",
            percent(run.linkage),
            f"An intruder links this share of the {unit} correctly to the nearest released record.",
            "linkage",
        )
        left = 0 if run.records is None or run.released is None else run.records - run.released
        gone = f"{number(left)} of {number(run.records)} records were left out." if left else "No record was left out."
        parts.figure("records released", number(run.released), gone, "released")


def _are(count: int | None) -> str:
    return "none is" if count == 0 else "one is" if count == 1 else f"{number(count)} are"


def _columns(project: Project, run: RunInfo) -> list[dict[str, Any]]:
    """The columns with the roles that they had in a run, which may be others by now."""
    opened = project.opened
    assert opened is not None
    policy = policy_in(project.policy_of(run.policy_revision))
    roles = {column["name"]: role_of(policy, column["name"]) for column in opened["columns"]}
    return [{"name": name, "tint": role, "note": SHORT[role]} for name, role in roles.items()]


def _pairs(view: View, run: RunInfo) -> None:
    order = view.kept.setdefault("order", "file")
    columns = _columns(view.project, run)

    def address(by: str) -> str:
        return f"{view.address}/runs/{run.id}/pairs?order={by}"

    def choose(by: str) -> None:
        view.kept["order"] = by
        grid.props["src"] = address(by)

    with parts.tag("section", aria_label="Before and after"):
        with parts.tag("div", None, "row spread"):
            parts.heading(2, "Before and after")
            options = [
                {"value": "file", "label": "in the order of the file"},
                {"value": "changed", "label": "most changed first"},
            ]
            parts.field("Order", order, choose, kind="segments", options=options, hideLabel=True, name="order")
        panes = [{"key": "before", "title": "Before"}, {"key": "after", "title": "After", "marked": True}]
        grid = parts.dressed(
            parts.Grid(),
            "",
            {
                "src": address(order),
                "columns": columns,
                "panes": panes,
                "total": run.records or 0,
                "label": "Before and after",
                "height": 400,
                "widest": 130,
            },
        )
        parts.paragraph("Changed cells are marked. Both tables scroll together.", "help").style(
            "margin: -0.75rem 0 1.5rem"
        )


def _words(run: RunInfo, names: list[str]) -> None:
    with parts.tag("section", None, "card", aria_label="Requirements"):
        parts.heading(2, "What was required")
        for one in run.requirements:
            with parts.tag("div", None, "row start").style("margin-bottom: 0.4rem; flex-wrap: nowrap"):
                parts.badge({"holds": "✓ holds", "fails": "✕ fails", "unknown": "not checked"}[one.state], one.state)
                parts.tag(
                    "span",
                    f"{one.title}: {one.sentence}" if not one.sentence.startswith(one.title) else one.sentence,
                    "wrap",
                )
        if not run.requirements:
            parts.paragraph("Nothing.", "soft")
        parts.why("requirements")
    with parts.tag("section", None, "card", aria_label="In words"):
        parts.heading(2, "In words")
        readings = [with_short_names(str(text), names) for text in run.readings]
        parts.bullets(readings[:SHOWN])
        if len(run.readings) > SHOWN:
            with parts.tag("details", None, "why"):
                parts.tag("summary", f"{len(run.readings) - SHOWN} more sentences")
                parts.bullets(readings[SHOWN:])
        parts.why("risk_readings")
    said = [*run.guarantees, *run.notes]
    with parts.tag("section", None, "card", aria_label="Guarantees and warnings"):
        parts.heading(2, "Guarantees and warnings")
        for heading, texts in by_kind(said).items():
            parts.heading(3, heading)
            parts.bullets(list(dict.fromkeys(with_short_names(text, names) for text in texts)))


def by_kind(said: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    """The texts of all statements by the heading of their kind, in the order of the kinds."""
    statements = list(said)
    found: dict[str, list[str]] = {}
    for kind in dict.fromkeys([*KINDS, *(one["kind"] for one in statements)]):
        texts = [str(one["text"]) for one in statements if one["kind"] == kind]
        if texts:
            found.setdefault(HEADINGS.get(kind, kind.capitalize()), []).extend(texts)
    return found


def _downloads(view: View, run: RunInfo) -> None:
    base = f"{view.address}/runs/{run.id}/files"
    with parts.tag("section", None, "card", aria_label="Download"):
        parts.heading(2, "Hand it out")
        if not run.downloadable:
            _reason(view, run)
        else:
            if run.reason:
                parts.notice(f"Recorded reason: {run.reason}", "warn")
            with parts.tag("div", None, "row"):
                parts.link("Download the release", f"{base}/data", "button primary", download="", id="release")
                parts.link("Public report", f"{base}/report", "button", download="", id="report")
                parts.link(
                    "Both, with the guarantees (zip)", f"{base}/release", "button", download="", id="release-zip"
                )
        parts.heading(3, "Keep with the original data").style("margin-top: 1.25rem")
        parts.paragraph("The internal report shows original values.", "help")
        with parts.tag("div", None, "row"):
            parts.link("Internal report", f"{base}/internal-report", "button", download="", id="internal-report")
            named = bool(view.project.info.taxonomies or view.project.info.severities)
            parts.link(
                "Policy with its files (zip)" if named else "Policy",
                f"{base}/{'policy-zip' if named else 'policy'}",
                "button",
                download="",
                id="policy-file",
            )


def _reason(view: View, run: RunInfo) -> None:
    parts.paragraph(
        "This release fails what is required. To download it all the same, write down why; the sentence is kept with the run."
    )
    sentence = {"text": ""}

    async def record() -> None:
        view.project.record_reason(run.id, sentence["text"])
        await view.draw()

    parts.field(
        "Reason, in one sentence",
        "",
        lambda text: sentence.__setitem__("text", text),
        kind="area",
        rows=2,
        name="reason",
        delay=80,
    )
    parts.button("Record this and unlock the download", view.safely(record), id="record")
