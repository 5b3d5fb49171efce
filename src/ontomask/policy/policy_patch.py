"""Changes of a policy file that leave the rest of it as somebody wrote it: comments, the order of keys, and quotes.

What changes are lines: those of a setting, of a required model, or of a part of the file. A file that is laid out in another
way, such as on one line, cannot be changed so. Whoever uses this checks that the new text says what it should.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from ontomask.errors import PolicyError
from ontomask.files.yaml_files import Plain
from ontomask.policy.policy_file import column_lines, require_lines, roles_comment, section_lines

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy

#: Lines from one to before another, and what stands there afterwards.
Edit: TypeAlias = tuple[int, int, list[str]]
_BESIDE = re.compile(r"\s+#\s?(.*)$")
_EMPTY = re.compile(r"\s*(#.*)?$")


class _OtherLayout(Exception):
    """The file is not laid out in lines as needed."""


def patched_text(text: str, before: Policy, after: Policy, folder: Path | None) -> str | None:
    """The text of a policy file with what differs between two policies, the first of which it says; None: not possible.

    Files are named as seen from ``folder``.
    """
    if list(before.attributes) != list(after.attributes) or before.unit != after.unit:
        return None
    try:
        return _Patch(text, before, after, folder).made()
    except (yaml.YAMLError, PolicyError, _OtherLayout):
        return None


class _Patch:
    def __init__(self, text: str, before: Policy, after: Policy, folder: Path | None) -> None:
        self.lines = text.split("\n")
        self.before, self.after, self.folder = before, after, folder
        self.root = Plain(text).get_single_node()
        self.edits: list[Edit] = []

    def made(self) -> str:
        parts = self._spans(self.root, len(self.lines))
        for name in type(self.after).model_fields:
            if name == "attributes":
                self._columns(parts)
            elif getattr(self.before, name) != getattr(self.after, name):
                self._part(name, parts)
        for start, end, lines in sorted(self.edits, key=lambda edit: edit[:2], reverse=True):
            self.lines[start:end] = lines
        return "\n".join(self.lines)

    # ---- where things stand --------------------------------------------------------------------------------------

    def _spans(self, node: Any, end: int) -> dict[str, tuple[int, int, Any]]:
        """The lines of each key of a mapping, without comments and blank lines behind it, and its value."""
        if not isinstance(node, yaml.MappingNode) or node.flow_style:
            raise _OtherLayout
        starts = [key.start_mark.line for key, _ in node.value]
        ends = [*starts[1:], end]
        if any(a >= b for a, b in zip(starts, ends, strict=True)):
            raise _OtherLayout
        pairs = zip(node.value, starts, ends, strict=True)
        return {key.value: (start, self._trimmed(start, end), value) for (key, value), start, end in pairs}

    def _trimmed(self, start: int, end: int) -> int:
        while end > start + 1 and _EMPTY.match(self.lines[end - 1]):
            end -= 1
        return end

    # ---- what changes --------------------------------------------------------------------------------------------

    def _columns(self, parts: Mapping[str, tuple[int, int, Any]]) -> None:
        before, after = self.before.attributes, self.after.attributes
        told = roles_comment(self.before.method) != roles_comment(self.after.method)  # behind the role of each column
        changed = [column for column in after if told or after[column] != before[column]]
        if not changed:
            return
        if "attributes" not in parts:
            raise _OtherLayout
        _, end, node = parts["attributes"]
        places = self._spans(node, end)
        for column in changed:
            start, end, value = places[column]
            old, new = (column_lines(policy, column, self.folder) for policy in (self.before, self.after))
            if len(new[0].split("\n")) > 1:
                raise _OtherLayout
            self._settings(start, end, value, old, new)

    def _part(self, name: str, parts: Mapping[str, tuple[int, int, Any]]) -> None:
        old, new = (section_lines(policy, name, self.folder) for policy in (self.before, self.after))
        if name not in parts:
            while self.lines and not self.lines[-1].strip():
                self.lines.pop()
            self.edits.append((len(self.lines), len(self.lines), ["", *new, ""]))
            return
        start, end, value = parts[name]
        if new and old and new[0] != old[0] and start and self.lines[start - 1] == old[0]:
            self.edits.append((start - 1, start, new[:1]))
        if not new:
            above = start - 1 if start and old and self.lines[start - 1] == old[0] else start
            self.edits.append((above, end, []))
        elif name == "require" and isinstance(value, yaml.SequenceNode) and not value.flow_style and value.value:
            self._models(end, value)
        elif isinstance(value, yaml.MappingNode):
            self._settings(start, end, value, old[1:], new[1:])
        else:
            self.edits.append((start, end, new[1:]))

    def _settings(self, start: int, end: int, node: Any, old: Sequence[str], new: Sequence[str]) -> None:
        """Change the lines of settings; the first line of both is that of the key."""
        if not isinstance(node, yaml.MappingNode) or node.flow_style:
            indent, usual = (len(line) - len(line.lstrip()) for line in (self.lines[start], new[0]))
            self.edits.append((start, end, [" " * indent + line[usual:] for line in new]))
            return
        places = self._spans(node, end)
        was, now = (_by_name(lines[1:]) for lines in (old, new))
        column = node.value[0][0].start_mark.column
        for name, (first, last, _) in places.items():
            if name in now and was.get(name) != now[name]:
                beside = "" if last > first + 1 else _written_beside(self.lines[first], was.get(name, ""))
                line = now[name] if not beside else f"{_BESIDE.sub('', now[name])}  # {beside}"
                self.edits.append((first, last, [self.lines[first][:column] + line]))
            elif name in was and name not in now:
                if self.lines[first][:column].strip():  # behind the dash of a list
                    raise _OtherLayout
                self.edits.append((first, last, []))
        added = [" " * column + line for name, line in now.items() if name not in places]
        if added:
            bottom = max(last for _, last, _ in places.values())
            self.edits.append((bottom, bottom, added))

    def _models(self, end: int, node: Any) -> None:
        """Change the list of required models: those that stay keep their lines."""
        starts = [item.start_mark.line for item in node.value]
        ends = [*starts[1:], end]
        indent = node.start_mark.column
        if len(starts) != len(self.before.require) or any(a >= b for a, b in zip(starts, ends, strict=True)):
            raise _OtherLayout
        kept = [(model, self.lines[a:b]) for model, a, b in zip(self.before.require, starts, ends, strict=True)]
        lines: list[str] = []
        for model in self.after.require:
            place = next((place for place, (known, _) in enumerate(kept) if known == model), None)
            if place is not None:
                lines += kept.pop(place)[1]
                continue
            same = next((place for place, (known, _) in enumerate(kept) if known.name == model.name), None)
            beside = [] if same is None else [line for line in kept.pop(same)[1] if _EMPTY.match(line)]
            rendered = require_lines(self.after.changed(require=[model]), self.folder)
            lines += [" " * indent + line[2:] for line in rendered] + beside
        for _, left in kept:
            lines += [line for line in left if line.strip().startswith("#")]
        self.edits.append((starts[0], end, lines))


def _by_name(lines: Sequence[str]) -> dict[str, str]:
    return {line.split(":", 1)[0].strip(): line.strip() for line in lines}


def _written_beside(line: str, rendered: str) -> str:
    """The comment that somebody wrote behind a setting; nothing if it is the one that every file has."""
    if "'" in line or '"' in line:
        return ""
    found, usual = _BESIDE.search(line), _BESIDE.search(rendered)
    return "" if found is None or (usual is not None and usual[1] == found[1]) else found[1]
