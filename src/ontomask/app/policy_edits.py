"""Changes of a policy that pages make: each changes one thing, and the file is written only if the whole is still valid.

The file is the single truth, so every change reads it, changes it and writes it. What a change does not touch stays as it is,
with the comments that somebody wrote. A file that is laid out in a way in which this cannot be done is written anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from ontomask.app.answer_files import CANDIDATES
from ontomask.app.candidates import with_candidate
from ontomask.app.cards import catalog, method_cards, model_cards
from ontomask.app.job_files import job_of
from ontomask.app.kept_policies import policy_in
from ontomask.app.matching import has_taxonomy, require_choice
from ontomask.app.project_info import Differs, Outdated
from ontomask.app.projects import Project
from ontomask.app.storage import read_json, write_private
from ontomask.arguments import did_you_mean, one_of
from ontomask.errors import OptionError, PolicyError
from ontomask.kinds.registry import KINDS
from ontomask.masking.method import Method
from ontomask.microdata.attributes import Identifier
from ontomask.microdata.reading_options import Reading
from ontomask.policy.policy import METHODS, Policy
from ontomask.policy.policy_file import policy_text
from ontomask.policy.policy_patch import patched_text
from ontomask.privacy.models import Model
from ontomask.settings import given_settings, validated
from ontomask.taxonomy.catalog import list_taxonomies

__all__ = [
    "catalog",
    "method_cards",
    "model_cards",
    "set_column",
    "set_k",
    "set_kind",
    "set_mapping",
    "set_method",
    "set_reading",
    "set_required",
    "set_role",
    "set_taxonomy",
    "use_candidate",
]

ROLES = ("identifier", "quasi", "sensitive", "other")
_BY_KIND: dict[str, type[Any]] = {str(kind.model_fields["kind"].default): kind for kind in KINDS}
#: What a column takes along when its kind changes.
_SHARED = ("role", "missing", "missing_markers", "weight")


def _present(project: Project) -> tuple[int, Policy]:
    """The policy, and the revision that a change of it is made from."""
    revision = project.policy_revision
    return revision, project.policy()


def save(project: Project, policy: Policy, revision: int | None = None) -> Policy:
    """Write a policy to the project, if it is valid as a file and nobody has changed it since the ``revision``."""
    folder = project.folder.resolve()
    text = patched_text(project.policy_text, project.policy(), policy, folder)
    try:
        if text is None:
            raise Differs("the text cannot be changed in place", remedy="Write it anew.")
        project.set_policy_text(text, revision, policy)
    except Outdated:
        raise
    except PolicyError:  # it says something else, or is no policy
        opened = project.opened
        comments = {} if opened is None else {c["name"]: c["comments"] for c in opened["columns"]}
        project.set_policy_text(policy_text(policy, folder, comments=comments), revision)
    return project.policy()


def set_role(project: Project, column: str, role: str) -> Policy:
    """Give a column a role: identifier, quasi, sensitive or other.

    A column that was an identifier gets the kind that was proposed, or the plainest that fits its values. Gaps in a column that
    is masked become a category of their own, unless the policy says otherwise.
    """
    one_of(role, ROLES, "role")
    revision, policy = _present(project)
    own = _attribute(policy, column)
    if role == "identifier":
        return save(project, _with(policy, column, own if isinstance(own, Identifier) else Identifier()), revision)
    found = _profile(project, column)
    if isinstance(own, Identifier):
        own = _proposed(found, role)
    changes: dict[str, Any] = {"role": role}
    if role == "quasi" and own.missing is None and found.get("missing"):
        changes["missing"] = "category"
    return save(project, _with(policy, column, own.changed(**changes)), revision)


def set_kind(project: Project, column: str, kind: str, **settings: Any) -> Policy:
    """Give a column a kind: nominal, ordinal, flat, numeric, date or place, with settings of that kind."""
    one_of(kind, (*_BY_KIND, "identifier"), "kind")
    revision, policy = _present(project)
    if kind == "identifier":
        return save(project, _with(policy, column, validated(Identifier, settings)), revision)
    own = _attribute(policy, column)
    shared = {} if isinstance(own, Identifier) else given_settings(own)
    kept = {name: value for name, value in shared.items() if name in _SHARED and name in _BY_KIND[kind].model_fields}
    if isinstance(settings.get("taxonomy"), str):
        settings["taxonomy"] = _taxonomy(project, settings["taxonomy"])
    return save(project, _with(policy, column, validated(_BY_KIND[kind], kept | settings)), revision)


def set_column(project: Project, column: str, **settings: Any) -> Policy:
    """Change settings of a column, such as missing, measure or weight."""
    revision, policy = _present(project)
    return save(project, _with(policy, column, _changed(_attribute(policy, column), settings)), revision)


def set_taxonomy(project: Project, column: str, taxonomy: str | None) -> Policy:
    """Give a column a taxonomy: a built-in one by its name, or an uploaded one by its stored name; None: labels only."""
    own = _attribute(project.policy(), column)
    require_choice(own, column)
    if taxonomy is None:
        return set_kind(project, column, "flat")
    if has_taxonomy(own):
        return set_column(project, column, taxonomy=_taxonomy(project, taxonomy), mapping=None)
    return set_kind(project, column, "nominal", taxonomy=taxonomy)


def set_mapping(project: Project, column: str, mapping: Mapping[str, str | None]) -> Policy:
    """Say which concepts values mean; None takes back what was said of a value."""
    revision, policy = _present(project)
    own = _attribute(policy, column)
    if not has_taxonomy(own):
        raise OptionError(f"column {column!r} has no taxonomy", remedy="Choose one first.")
    if "mapping" not in type(own).model_fields:
        raise OptionError(
            f"the values of column {column!r} are taken as they are, for they are {own.in_words}",
            remedy="Correct the values in the data, or their table.",
        )
    if isinstance(own.mapping, str):
        raise OptionError(
            "the mapping of this column is a file", remedy="Change the file, or remove it from the policy."
        )
    merged = {value: concept for value, concept in {**(own.mapping or {}), **mapping}.items() if concept is not None}
    return save(project, _with(policy, column, _changed(own, {"mapping": merged or None})), revision)


def set_method(project: Project, name: str, **settings: Any) -> Policy:
    """Choose a method by its name, with its settings; a k that is not given is that of the policy."""
    one_of(name, METHODS, "method")
    revision, policy = _present(project)
    cls = METHODS[name]
    if "k" in cls.model_fields and "k" not in settings:
        k = policy.stated_k or policy.required_k
        settings["k"] = k if k > 1 else 5
    if name == "rank_swapping" and settings.get("percent") is not None:
        settings.pop("k")
    made: Method = validated(cls, settings)
    return save(project, policy.changed(method=made), revision)


def set_k(project: Project, k: int) -> Policy:
    """Set the k of the method, where it has one, and of the required models: of k-anonymity, and of those with the k that was
    shown. A model with a k of its own keeps it."""
    revision, policy = _present(project)
    method = policy.method and (policy.method.at_k(k) or policy.method)
    require = [model.changed(k=k) if _follows(model, policy.stated_k) else model for model in policy.require]
    return save(project, policy.changed(method=method, require=require), revision)


def _follows(model: Model, shown: int | None) -> bool:
    """Is the k of the page that of the model: it asks for sizes of classes, or states the k that is shown?"""
    return model.stated_k is not None and (model.class_size is not None or model.stated_k == shown)


def set_required(project: Project, models: Sequence[Mapping[str, Any]]) -> Policy:
    """Require these models, each a mapping with its name and settings."""
    revision, policy = _present(project)
    folder = project.folder
    ready = []
    for model in models:
        named = model.get("severity")
        inside = isinstance(named, str) and named in project.info.severities
        ready.append(dict(model) | ({"severity": str(folder / str(named))} if inside else {}))
    made: Policy = validated(Policy, {**{n: getattr(policy, n) for n in type(policy).model_fields}, "require": ready})
    return save(project, made, revision)


def set_reading(project: Project, **options: Any) -> Policy:
    """Change options of reading: missing, delimiter, encoding, decimal, sheet, text. None takes one back."""
    revision, policy = _present(project)
    merged = policy.reading.given | options
    made: Reading = validated(Reading, {name: value for name, value in merged.items() if value not in (None, "", [])})
    return save(project, policy.changed(reading=made), revision)


def use_candidate(project: Project, name: str) -> Policy:
    """Let the policy be a candidate of the last comparison; what was decided since then stays."""
    folder = project.latest("compare")
    texts = None if folder is None else read_json(folder / CANDIDATES)
    if not isinstance(texts, dict) or name not in texts:
        raise OptionError(f"no candidate {name!r}", remedy="Compare again, and choose one of those listed.")
    assert folder is not None
    revision, policy = _present(project)
    compared = policy_in(project.policy_of(job_of(project.folder, folder.name).policy_revision))
    candidates = {one: _candidate(project, text) for one, text in texts.items()}
    return save(project, with_candidate(policy, compared, candidates.values(), candidates[name]), revision)


def _candidate(project: Project, text: str) -> Policy:
    part = project.folder / f"part-{secrets.token_hex(8)}.yaml"  # beside the policy, so that it finds the same files
    try:
        write_private(text.encode(), part)
        with project.naming():
            return Policy.load(part, confined=True)
    finally:
        part.unlink(missing_ok=True)


# ---- parts ---------------------------------------------------------------------------------------------------------


def _attribute(policy: Policy, column: str) -> Any:
    found = policy.attributes.get(column)
    if found is None:
        raise OptionError(
            f"the policy has no column {column!r}",
            remedy=f"{did_you_mean(column, policy.attributes)}Check the name of the column.",
        )
    return found


def _changed(settings: Any, changes: Mapping[str, Any]) -> Any:
    """The same with some settings replaced; an unknown one is an error that names the nearest."""
    known = {name: value for name, value in given_settings(settings).items() if name != "kind"}
    return validated(type(settings), known | dict(changes))


def _with(policy: Policy, column: str, attribute: Any) -> Policy:
    return policy.changed(attributes={**policy.attributes, column: attribute})


def _profile(project: Project, column: str) -> dict[str, Any]:
    columns = (project.opened or {"columns": []})["columns"]
    return next((found for found in columns if found["name"] == column), {})


def _proposed(found: Mapping[str, Any], role: str) -> Any:
    """What the column is when it is not an identifier."""
    kind = found.get("kind", "flat")
    if kind == "identifier":
        kind = "numeric" if found.get("numeric") else "flat"
    settings = {name: value for name, value in found.get("settings", {}).items() if name not in ("kind", "role")}
    return validated(_BY_KIND[kind], {**settings, "role": role})


def _taxonomy(project: Project, name: str) -> str:
    """A built-in taxonomy, or an uploaded one where it is stored."""
    if name in list_taxonomies():
        return name
    if name in project.info.taxonomies:
        return str(project.folder.resolve() / name)
    raise PolicyError("there is no such taxonomy", remedy="Choose a built-in one, or upload it.")
