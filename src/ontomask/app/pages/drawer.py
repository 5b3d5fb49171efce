"""The policy as YAML, one click away: live, and editable both ways. An invalid text changes nothing."""

from __future__ import annotations

import asyncio

from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.app.project_info import Outdated
from ontomask.errors import OntomaskError

NEWER = "The policy was changed elsewhere meanwhile. Close the drawer and open it again to see the newer one."


def drawer(view: View) -> None:
    """The button and the drawer that it opens."""
    one_at_a_time = asyncio.Lock()
    state = {"open": False, "revision": -1, "unsaved": False}

    def toggle(open_: bool) -> None:
        state["open"] = open_
        if open_:
            state["unsaved"] = False
            refresh()
        dialog.props["open"] = open_

    def refresh() -> None:
        revision = view.project.policy_revision
        if not state["open"] or revision == state["revision"]:
            return
        if state["unsaved"]:
            text.props["error"] = NEWER
        else:
            state["revision"] = revision
            text.props["value"] = view.project.policy_text
            text.props["error"] = ""

    async def edit(value: str) -> None:
        if not value.strip():
            return
        try:
            async with one_at_a_time:  # in a thread: a long text takes a while to read, and others wait
                state["revision"] = await asyncio.to_thread(view.project.set_policy_text, value, state["revision"])
        except Outdated:
            state["unsaved"] = True
            text.props["error"] = NEWER
            message.text = "This text is not in use."
            return
        except OntomaskError as error:
            state["unsaved"] = True
            text.props["error"] = f"{error} Nothing was changed."
            message.text = "This text is not in use."
            return
        state["unsaved"] = False
        text.props["value"], text.props["error"] = value, ""
        message.text = "Saved and in use."
        await view.draw()

    parts.button("Policy", lambda: toggle(True), "quiet", id="policy", aria_haspopup="dialog")
    dialog = parts.dressed(parts.Dialog(), "", {"label": "Policy", "drawer": True, "open": False})
    with dialog:
        with parts.tag("div", None, "row spread"):
            parts.heading(2, "Policy")
            parts.button("Close", lambda: toggle(False), "small")
        parts.paragraph(
            "What the pages say, as the file that ontomask run takes. Changes here take effect at once, and so do changes "
            "on the pages, which leave your comments in the text. Reading the file again writes the text anew, and so does a "
            "change by a page where the text is not laid out in lines.",
            "help",
        )
        message = parts.paragraph("", "help", aria_live="polite")
        with parts.tag("div", None, "fill"):
            text = parts.field("YAML", "", view.safely(edit), kind="area", name="policy-text", delay=700)
    parts.on(dialog, "close", lambda: toggle(False))
    view.listeners.append(refresh)
