"""Policies as YAML files: errors name the line, written files have a comment on every key."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ontomask.arguments import as_path
from ontomask.errors import PolicyError
from ontomask.files.named_files import NamedIn, NamesFile, OutsideError, marker_of
from ontomask.files.writing import write_text
from ontomask.files.yaml_files import Plain, line_finder, parsed_mapping
from ontomask.masking.method import Method
from ontomask.microdata.formats import suffixes
from ontomask.settings import given_settings, translate
from ontomask.settings_help import default_of
from ontomask.severity.severity import Severity
from ontomask.taxonomy.catalog import catalog_name
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.wording import Unit

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy

HEAD = """\
# An ontomask policy: what the columns are, how they are masked, what the release must satisfy.
"""


def load_policy(kind: type[Policy], path: str | Path, *, confined: bool = False) -> Policy:
    """The policy in a file; ``kind`` is the class, which this module does not know."""
    file = as_path(path)
    suffix = file.suffix.lower()
    if suffix in suffixes() and suffix != ".txt" and file.is_file():
        raise PolicyError(
            "this is a table, not a policy",
            where=str(file),
            remedy="The policy comes first, then the data: POLICY DATA.",
        )
    _, root, content = parsed_mapping(file, Plain, "policy", "attributes, method, require")
    _names_are_text(file, root)
    try:
        return kind.model_validate(content, context=NamedIn(file, confined)).read_from(file.resolve())
    except OutsideError as outside:
        error = outside.problem
    except ValidationError as wrong:
        error = translate(wrong, kind, where=str(file), lines=line_finder(root))
    raise error


def _names_are_text(file: Path, root: yaml.MappingNode) -> None:
    """YAML takes no, ~ and 2020-01-01 for something else than the names they are meant to be."""
    for key, value in root.value:
        for name, _ in value.value if key.value == "attributes" and isinstance(value, yaml.MappingNode) else ():
            if name.tag != "tag:yaml.org,2002:str":
                raise PolicyError(
                    f"the name {name.value!r} is not taken as text",
                    where=f"{file}, line {name.start_mark.line + 1}",
                    remedy="Names of columns are text: put it in quotes.",
                )


def save_policy(policy: Policy, path: str | Path, *, overwrite: bool = False) -> Path:
    file = as_path(path)
    return write_text(policy_text(policy, file.parent.resolve()), file, overwrite=overwrite)


def policy_text(
    policy: Policy,
    folder: Path | None = None,
    *,
    head: Sequence[str] = (),
    comments: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The policy as YAML. What has its default value is left out, but for k and what a reader looks for.

    Files are named as seen from ``folder``, where the policy will be, or by their whole path. ``head`` holds comments on
    the whole, ``comments`` some on columns, each of them a paragraph.
    """
    lines = [HEAD.rstrip(), *_commented(head, "")]
    for name in type(policy).model_fields:
        section = section_lines(policy, name, folder, comments)
        lines += ["", *section] if section else []
    return "\n".join(lines) + "\n"


def section_lines(
    policy: Policy, name: str, folder: Path | None, comments: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """The lines of a part of a policy file, with what it means above it; none where it says nothing."""
    value, field = getattr(policy, name), type(policy).model_fields[name]
    if name == "attributes":
        lines = [f"# {field.description}", "attributes:"]
        for column in value:
            lines += column_lines(policy, column, folder, (comments or {}).get(column, ()))
        return lines
    if name == "method":
        if value is None:
            return []
        return [
            f"# {_about_method(value)}",
            "method:",
            *_block(value, "  ", "method", folder, _counted(value, policy.unit)),
        ]
    if name == "require":
        return [f"# {field.description}", "require:", *require_lines(policy, folder)] if value else []
    if name == "reading":
        block = list(_block(value, "  ", "reading", folder))
        return [f"# {field.description}", "reading:", *block] if block else []
    if value == default_of(field):
        return []
    return [f"# {field.description}", f"{name}: {_scalar(value)}"]


def column_lines(policy: Policy, column: str, folder: Path | None, comments: Sequence[str] = ()) -> list[str]:
    """The lines of a column: its name, comments in paragraphs, and a line for each setting."""
    mark = "? " if len(column) > 1000 else ""  # YAML reads no longer key without it
    return [
        f"  {mark}{_scalar(column)}" + ("\n  :" if mark else ":"),
        *_commented(comments, "    "),
        *_block(policy.attributes[column], "    ", column, folder, {"role": roles_comment(policy.method)}),
    ]


def require_lines(policy: Policy, folder: Path | None) -> list[str]:
    """The lines of the required models, the first of each with a dash."""
    lines = []
    for model in policy.require:
        block = list(_block(model, "    ", "require", folder, _counted(model, policy.unit)))
        lines += [f"  - {block[0].strip()}", *block[1:]]
    return lines


def _counted(settings: BaseModel, unit: Unit) -> dict[str, str]:
    """What is said of k, of which a description says that it counts records."""
    field = type(settings).model_fields.get("k")
    return {} if field is None or field.description is None else {"k": unit.instead(field.description)}


def _commented(paragraphs: Sequence[str], indent: str) -> Iterator[str]:
    """Comments in lines of a readable length; what would end a comment early is taken out."""
    for paragraph in paragraphs:
        text = "".join(mark if mark.isprintable() else " " for mark in paragraph)
        yield from textwrap.wrap(
            text, 118, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}#   ", break_on_hyphens=False
        )


def roles_comment(method: Method | None) -> str:
    """The roles there are, and what the method does with them."""
    if method is None or (method.masks == ("quasi",) and method.named_columns is None):
        return ""
    masked = method.masks if method.named_columns is None else ()
    quasi, sensitive = (f"{role} (masked)" if role in masked else role for role in ("quasi", "sensitive"))
    return f"{quasi}, {sensitive} or other"


def _about_method(method: Method) -> str:
    if method.named_columns is not None:
        return "how the named columns are masked"
    plural = {"quasi": "quasi-identifiers", "sensitive": "sensitive columns"}
    return f"how the {' and the '.join(plural.get(role, role) for role in method.masks)} are masked"


def _block(
    settings: BaseModel, indent: str, where: str, folder: Path | None, said: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The fields of some settings, each with its meaning, or with what is ``said`` of it instead."""
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        shown = name in ("kind", "name", "role", "k", "measure", "taxonomy") and value != "identifier"
        shown = shown or name == "kind"
        if not shown and value == default_of(field):
            continue
        if name == "measure" and value is None:
            continue
        meaning = (said or {}).get(name) or field.description
        comment = f"  # {meaning}" if meaning else ""
        value = _as_named(field, value, where, folder)
        try:
            yield f"{indent}{name}: {_scalar(value)}{comment}"
        except yaml.YAMLError:
            raise PolicyError(
                f"{name} of {where!r} holds a value that a policy file cannot store",
                remedy="Use text, numbers, true, false, dates and lists of them.",
            ) from None


def _dumped(settings: BaseModel, where: str, folder: Path | None) -> dict[str, Any]:
    """Settings inside settings, on one line: what they are and what differs from its default."""
    fields = type(settings).model_fields
    tag = {"kind": fields["kind"].default} if "kind" in fields else {}
    given = given_settings(settings)
    return tag | {name: _as_named(fields[name], value, where, folder) for name, value in given.items()}


def _as_named(field: FieldInfo, value: Any, where: str, folder: Path | None) -> Any:
    """A setting as a policy file holds it: files as seen from the folder, settings inside it on one line."""
    marker = marker_of(field)
    if marker is not None and marker.key is not None:
        return {key: _named(marker, one, where, folder) if key == marker.key else one for key, one in value.items()}
    if marker is not None:
        return _named(marker, value, where, folder)
    if isinstance(value, Mapping):
        return {key: _dumped(part, key, folder) if isinstance(part, BaseModel) else part for key, part in value.items()}
    return value


def _named(marker: NamesFile, value: Any, where: str, folder: Path | None) -> Any:
    """A taxonomy, a mapping, a hierarchy or a severity definition as a file can name it."""
    if isinstance(value, Severity):
        if value.path is None:
            raise PolicyError(
                f"the severity definition of {where!r} exists only in Python, so a policy file cannot refer to it",
                remedy="Write it with severity.save('severity.yaml') and give that path as severity=.",
            )
        value = str(value.path)
    if isinstance(value, Taxonomy):
        known = catalog_name(value)
        if known is None:
            raise PolicyError(
                f"the taxonomy of {where!r} exists only in Python, so a policy file cannot refer to it",
                remedy="Write it with write_taxonomy(t, 'taxonomy.csv') and give that path as taxonomy=.",
            )
        return known
    if isinstance(value, str) and value not in marker.known():
        file = Path(value).absolute()
        return str(file.relative_to(folder)) if folder is not None and file.is_relative_to(folder) else str(file)
    return value


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Texts with signs that cannot be printed, such as line breaks, go into double quotes, which spell them out."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"'
    ),
)


def _scalar(value: Any) -> str:
    """A value on one line."""
    return _text_scalar(value) if isinstance(value, str) else _dumped_scalar(value)


@lru_cache(10_000)
def _text_scalar(text: str) -> str:
    return _dumped_scalar(text)


def _dumped_scalar(value: Any) -> str:
    dumped: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False
    )
    return dumped.strip().removesuffix("...").strip()
