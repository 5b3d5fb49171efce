"""Reading YAML files that people write: the line of every error, no key twice, files looked for beside them.

PyYAML, not ruamel.yaml: the limits of nodes, depth, anchors and numbers need the hooks of a loader in either, ruamel
writes comments only by rewriting what stands around them, and it would save fewer than forty lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from ontomask.arguments import did_you_mean, short
from ontomask.errors import MissingDataError, PolicyError
from ontomask.files.regular_files import open_regular, refuse_special

#: Gives the line of a path such as ("sets", 2, "where"), as "line 12".
Lines = Callable[[tuple[Any, ...]], str]


#: Of a file: bytes, values and keys, how deep they are nested; digits of a number.
LARGEST, MOST_NODES, DEEPEST, LONGEST_NUMBER = 5 << 20, 200_000, 50, 100
#: Line breaks of YAML that hardly any editor shows: a comment ends at one, and what looks like its rest is a setting.
_UNSEEN = re.compile("[\x85\u2028\u2029]")


class Limited:
    """For a loader: a file of others cannot make a small text a huge one, nor go deeper than a person would write."""

    once = "Keep one of the two."
    _depth = _nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        loader: Any = self
        event = loader.peek_event()
        line = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise PolicyError(
                "anchors (&name) and aliases (*name) are not allowed", where=line, remedy="Write it out each time."
            )
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise PolicyError(f"more than {MOST_NODES:,} keys and values", where=line, remedy="Is it the right file?")
        self._depth += 1
        if self._depth > DEEPEST:
            raise PolicyError(f"nested more than {DEEPEST} deep", where=line, remedy="Is it the right file?")
        node = super().compose_node(parent, index)  # type: ignore[misc]
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A key that stands twice is an error: the second one would win unseen."""
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            where = f"line {line}"
            if not isinstance(key, yaml.ScalarNode):
                raise PolicyError("a key is not text", where=where, remedy="Keys are words.")
            if key.value == "<<" and not key.style:  # in quotes it is a name
                raise PolicyError("merge keys (<<) are not allowed", where=where, remedy="Write it out.")
            if key.value in seen:
                already = f"the key {key.value!r} is already in line {seen[key.value]}"
                raise PolicyError(already, where=where, remedy=self.once)
            seen[key.value] = line
        made: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return made

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)  # type: ignore[misc]
        except PolicyError:
            raise
        except (ValueError, OverflowError):  # the 31st of February
            raise PolicyError(
                f"{short(repr(node.value), 40)} is not a date or number",
                where=f"line {node.start_mark.line + 1}",
                remedy="Correct it, or put it in quotes to have it as text.",
            ) from None


class AsWritten(Limited, yaml.BaseLoader):  # type: ignore[misc]
    """YAML without guesses: every value is the text that is written."""


def _reader() -> type[Any]:
    """The class that reads the text: libyaml where PyYAML has it, which takes a tenth of the time; the rest is the same."""
    if not yaml.__with_libyaml__:
        return yaml.SafeLoader  # type: ignore[no-any-return]
    from yaml.cyaml import CParser  # late: it needs libyaml

    class Events(Composer, CParser, SafeConstructor, Resolver):  # type: ignore[misc]
        def __init__(self, stream: str) -> None:
            CParser.__init__(self, stream)
            for base in (Composer, SafeConstructor, Resolver):
                base.__init__(self)

    return Events


class Plain(Limited, _reader()):  # type: ignore[misc]
    """Plain YAML. Numbers are decimal: 12:30:45, 010 and 1_000 are text, not 45045, 8 and 1000."""

    once = "Keep one of the two. (A column has one kind and one role.)"

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > LONGEST_NUMBER:
            raise PolicyError(
                f"a number of {len(node.value):,} digits",
                where=f"line {node.start_mark.line + 1}",
                remedy="Shorten it.",
            )
        return int(node.value)


_INT, _FLOAT, _MERGE = (f"tag:yaml.org,2002:{name}" for name in ("int", "float", "merge"))
_DECIMAL = r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?\Z|[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z"
Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag not in (_INT, _FLOAT, _MERGE)]
    for first, known in Plain.yaml_implicit_resolvers.items()
}
Plain.add_implicit_resolver(_INT, re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"), list("-+0123456789"))
Plain.add_implicit_resolver(_FLOAT, re.compile(_DECIMAL), list("-+0123456789."))
Plain.add_constructor(_INT, Plain.construct_yaml_int)


def _text(file: Path) -> str:
    try:
        with open_regular(file) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as problem:
        raise PolicyError(
            f"the file cannot be read ({problem.strerror})",
            where=str(file),
            remedy="Check the path and your permissions.",
        ) from None
    if len(data) > LARGEST:
        raise PolicyError(f"the file has more than {LARGEST >> 20} MB", where=str(file), remedy="Is it the right file?")
    return data.decode("utf-8-sig")


def parsed_mapping(file: Path, loader: type[Any], what: str, keys: str) -> tuple[str, Any, dict[Any, Any]]:
    """Like :func:`parsed` for a file that must be there and hold ``keys``; ``what`` says what it is."""
    if file.is_dir():
        raise PolicyError("this is a folder", where=str(file), remedy=f"Name the {what} file in it.")
    refuse_special(file, PolicyError)
    if not file.is_file():
        near = ""
        with suppress(OSError):
            near = did_you_mean(file.name, [beside.name for beside in file.parent.iterdir()])
        raise MissingDataError(f"there is no such {what} file", where=str(file), remedy=f"{near}Check the path.")
    text, root, content = parsed(file, loader)
    if not isinstance(content, dict):
        raise PolicyError(f"this is not a {what} file", where=str(file), remedy=f"A {what} file has the keys {keys}.")
    return text, root, content


def parsed(file: Path, loader: type[Any]) -> tuple[str, Any, Any]:
    """The text of a file, its nodes, which know their lines, and what they say."""
    try:
        text = _text(file).replace("\r\n", "\n").replace("\r", "\n")
        _refuse_unseen_breaks(text)
        loading = loader(text)
        root = loading.get_single_node()
        return text, root, (loading.construct_document(root) if root is not None else None)
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8 text", where=str(file), remedy="Save it as UTF-8.") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or "it contains control characters"
        raise PolicyError(
            f"this is not valid YAML: {what}",
            where=f"{file}{line}",
            remedy="Check colons, quotes and how far lines are indented (spaces, not tabs).",
        ) from None
    except PolicyError as problem:
        if problem.where == str(file):
            raise
        raise PolicyError(problem.what, where=f"{file}, {problem.where}", remedy=problem.remedy) from None


def _refuse_unseen_breaks(text: str) -> None:
    found = _UNSEEN.search(text)
    if found is not None:
        raise PolicyError(
            f"it holds a line break that editors do not show (U+{ord(found[0]):04X})",
            where=f"line {text.count(chr(10), 0, found.start()) + 1}",
            remedy="Remove it; in a name or value write \\N, \\L or \\P in double quotes for U+0085, U+2028 or U+2029.",
        )


def line_finder(root: Any) -> Lines:
    """The line of a path in the file; that of the last part that is really there."""

    def find(path: tuple[Any, ...]) -> str:
        node, line = root, 1
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
                if found is None:
                    continue  # a level that the file does not have: the kind of a union, the only one of several
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
        return f"line {line}"

    return find
