"""The policy as YAML, one click away: live, and editable both ways. An invalid text changes nothing."""

from __future__ import annotations

import asyncio

from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.errors import OntomaskError


def drawer(view: View) -> None:
    """The button and the drawer that it opens."""
    state = {"open": False, "revision": -1}

    def toggle(open_: bool) -> None:
        state["open"] = open_
        if open_:
            refresh()
        dialog.props["open"] = open_

    def refresh() -> None:
        revision = view.project.policy_revision
        if state["open"] and revision != state["revision"]:
            state["revision"] = revision
            text.props["value"] = view.project.policy_text
            text.props["error"] = ""

    async def edit(value: str) -> None:
        if not value.strip():
            return
        try:
            # In a thread: a long text takes a while to read, and others wait.
            state["revision"] = await asyncio.to_thread(view.project.set_policy_text, value)
        except OntomaskError as error:
            text.props["error"] = f"{error} Nothing was changed."
            message.text = "This text is not in use."  # type: ignore[attr-defined]
            return
        text.props["value"], text.props["error"] = value, ""
        message.text = "Saved and in use."  # type: ignore[attr-defined]
        await view.draw()

    parts.button("Policy", lambda: toggle(True), "quiet", id="policy", aria_haspopup="dialog")
    dialog = parts.dressed(parts.Dialog(), "", {"label": "Policy", "drawer": True, "open": False})
    with dialog:
        with parts.tag("div", None, "row spread"):
            parts.heading(2, "Policy")
            parts.button("Close", lambda: toggle(False), "small")
        parts.paragraph(
            "What the pages say, as the file that ontomask run takes. Changes here take effect at once, and so do changes "
            "on the pages.",
            "help",
        )
        message = parts.paragraph("", "help", aria_live="polite")
        with parts.tag("div", None, "fill"):
            text = parts.field("YAML", "", view.safely(edit), kind="area", name="policy-text", delay=700)
    parts.on(dialog, "close", lambda: toggle(False))
    view.listeners.append(refresh)
