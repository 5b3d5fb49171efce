"""Names of columns that number persons, or stays, visits and cases: ``patient_nbr``, ``hadm_id``, ``Fallnummer``.

A noun and a word for a number make such a name, in English, Spanish, Catalan, French and German, in any order and also
written as one word. A third word that says what is numbered of them (type, source, age) makes it something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Unit = Literal["person", "event"]

_PERSONS = frozenset(
    "patient pat paciente pacient patienten patientin subject subj sujeto subjecte sujet person persona personne "
    "personen pers member mbr mitglied mitglieds beneficiary bene insured asegurado afiliado assegurat assure "
    "versicherten participant participante teilnehmer respondent encuestado enquestat befragten proband probanden "
    "client cliente kunde kunden customer cust employee empleado empleat employe mitarbeiter personal student "
    "alumno alumne eleve schuler user usuario usuari utilisateur nutzer donor donante individual individu "
    "individuo citizen ciudadano ciutada citoyen burger household hh hogar llar menage haushalt family familia "
    "famille familie ssn nhs mrn".split()
)
_EVENTS = frozenset(
    "encounter enc admission adm hadm icustay stay visit case episode episodio episodi ingreso ingres estancia "
    "estada visita caso cas sejour visite fall aufnahme aufenthalt besuch claim order specimen sample accession".split()
)
#: Words for a number that stands for something; the second ones count as well.
_NUMBERED = frozenset(
    "id ids nbr key clave clau cle schlussel code cod codi codigo kennung kennzahl identifier identificador "
    "identifiant ident uid pid uuid guid token pseudonym hash".split()
)
_COUNTING = frozenset("number num nr no nro numero nummer n".split())
#: A code of a person is a number of the person; one of a visit may be of its sort.
_CODES = frozenset("code cod codi codigo".split())
_ENDINGS = ("nummer", "nr", "id", "nbr", "number", "no", "num", "key", "code", "kennung")
#: What numbers of a person or stay are about, if not about which one it is.
_PROPERTIES = frozenset(
    "type tipo tipus typ art source origin disposition category categoria categorie kategorie group grupo grup "
    "groupe gruppe class clase classe klasse status state estado reason motivo motiu motif grund mode level nivel "
    "niveau flag indicator kind department ward service servicio priority sex gender age edad alter race country "
    "city region zip plan payer count total size diagnosis diag dx icd procedure drug lab test result name birth "
    "date year doctor physician specialty job income".split()
)


def numbered_unit(words: Sequence[str]) -> Unit | None:
    """What columns of such a name number: persons, events (stays, visits, cases), or nothing."""
    if _numbers(words, _PERSONS):
        return "person"
    return "event" if _numbers(words, _EVENTS) else None


def is_unit(words: Sequence[str]) -> bool:
    """Is the name nothing but a word for a person, a stay or a case? Its values then decide."""
    return len(words) == 1 and (words[0] in _PERSONS or words[0] in _EVENTS)


def may_count(words: Sequence[str]) -> bool:
    """Can the name say how many as well as which one: ``visit_number``?"""
    return not _COUNTING.isdisjoint(words) and _NUMBERED.isdisjoint(words)


def _numbers(words: Sequence[str], nouns: frozenset[str]) -> bool:
    if not _PROPERTIES.isdisjoint(words):
        return False
    if any(_is_compound(word, nouns) for word in words):
        return True
    keys = _NUMBERED | _COUNTING if nouns is _PERSONS else (_NUMBERED | _COUNTING) - _CODES
    return not nouns.isdisjoint(words) and not keys.isdisjoint(words)


def _is_compound(word: str, nouns: frozenset[str]) -> bool:
    """One word of both: Patientennummer, fallnr, patid, caseid."""
    for key in _ENDINGS:
        stem = word.removesuffix(key)
        if stem != word and (stem in nouns or any(stem.removesuffix(link) in nouns for link in ("s", "n", "en", "e"))):
            return True
    return False
