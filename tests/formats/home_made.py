"""Tables as people make them: columns under any of their names, in any order, in five languages and six ways of
writing.

`tables(n)` makes the same n tables every time. The names and words are those that people use, written down here and
not taken from the package; some of them it does not know.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

# The names of a column, by language; those after the bar are known to nobody but their maker.
NAMES: dict[str, dict[str, str]] = {
    "run": {
        "en": "model, Model Name, system, run_id, System, LLM, modelName | candidate system, competitor",
        "de": "Modell, System, modellname | Kandidat, Anbieter",
        "fr": "modèle, Système, nom du modèle | concurrent",
        "es": "modelo, Sistema, nombre_del_modelo | proveedor",
        "it": "modello, Sistema, nome_modello | concorrente",
    },
    "id": {
        "en": "question_id, qid, id, Question ID, sample_id, ID, questionId | case ref",
        "de": "Frage-ID, FrageNr, id, Nr. | Fall, Vorgang",
        "fr": "id, id_question, numéro | dossier",
        "es": "id, id_pregunta, número | caso",
        "it": "id, id_domanda, numero | caso clinico",
    },
    "text": {
        "en": "question, Question, prompt, query, question_text",
        "de": "Frage, fragetext, FRAGE",
        "fr": "question, Question",
        "es": "pregunta, Pregunta",
        "it": "domanda, Domanda",
    },
    "gold": {
        "en": "gold, expected, Gold answer, ground_truth, reference, Expected Answer, correct_answer | key text",
        "de": "Musterlösung, richtige Antwort, erwartete_antwort | Soll",
        "fr": "réponse attendue, Bonne réponse, référence | corrigé",
        "es": "respuesta correcta, respuesta_esperada | clave",
        "it": "risposta corretta, Risposta attesa, riferimento | chiave",
    },
    "prediction": {
        "en": "prediction, Model answer, response, output, model_output, Answer given, answer | bot said",
        "de": "Antwort, Modellantwort, gegebene Antwort | Bot sagt",
        "fr": "réponse, Réponse du modèle, prédiction | le robot dit",
        "es": "respuesta, Respuesta del modelo, predicción | dice el bot",
        "it": "risposta, Risposta del modello, predizione | dice il bot",
    },
    "outcome": {
        "en": "correct, Is correct?, verdict, outcome, Acceptable?, isCorrect, grade, score, label, "
        "human_judgment | ok flag, tick",
        "de": "richtig, Richtig?, korrekt, Urteil, Bewertung | Wertung, Treffer",
        "fr": "correct, Correcte ?, verdict, juste | bilan",
        "es": "correcto, ¿Es correcta?, veredicto, acierto | balance",
        "it": "corretto, Corretta?, giudizio, esatto | spunta",
    },
    "abstained": {
        "en": "abstained, refused, declined, Refusal?, is_refusal, no_answer, abstain",
        "de": "enthalten, verweigert, Keine Antwort",
        "fr": "abstention, refus, Sans réponse",
        "es": "abstención, rechazado, Sin respuesta",
        "it": "astensione, rifiutato, Senza risposta",
    },
    "answered": {
        "en": "answered, attempted, Answered?",
        "de": "beantwortet",
        "fr": "répondu",
        "es": "respondida",
        "it": "risposto",
    },
    "confidence": {
        "en": "confidence, Confidence, probability, conf, confidence_score | how sure",
        "de": "Konfidenz, Sicherheit | Gefühl",
        "fr": "confiance, Certitude | assurance",
        "es": "confianza | seguridad",
        "it": "confidenza, fiducia | sicurezza",
    },
}
OTHERS = "topic, Kategorie, catégorie, latency_ms, tokens, cost_usd, durée, comentario, note_1, split"
# What stands for right, wrong and silent, by language.
WORDS: dict[str, list[tuple[str, str, str]]] = {
    "en": [
        *(("correct", "incorrect", "unanswered"), ("right", "wrong", "declined"), ("yes", "no", "no answer")),
        *(
            ("1", "0", "abstained"),
            ("1.0", "0.0", ""),
            ("1.00", "0.00", ""),
            ("True", "False", ""),
            ("PASS", "FAIL", "refused"),
        ),
        ("Correct", "Incorrect", "Not attempted"),
    ],
    "de": [("richtig", "falsch", "unbeantwortet"), ("Ja", "Nein", "keine Antwort"), ("korrekt", "falsch", "enthalten")],
    "fr": [("juste", "faux", "sans réponse"), ("Oui", "Non", "abstention"), ("vrai", "faux", "non répondu")],
    "es": [
        ("correcto", "incorrecto", "sin respuesta"),
        ("sí", "no", "abstención"),
        ("verdadero", "falso", "no contestado"),
    ],
    "it": [
        ("corretto", "errato", "senza risposta"),
        ("Sì", "No", "astensione"),
        ("giusto", "sbagliato", "non risposto"),
    ],
}
TRUTH = {"en": ("True", "False"), "de": ("ja", "nein"), "fr": ("oui", "non"), "es": ("sí", "no"), "it": ("sì", "no")}
WAYS = ("csv", "semicolons", "bom", "tsv", "jsonl", "parquet", "json")
LANGUAGES = tuple(WORDS)
State = str  # "correct", "incorrect", "unanswered" or "ungraded"


@dataclass
class Table:
    """A table and what its maker meant: the column that plays each part, and the state of each answer by run and
    question.

    A question is meant by its number, which `questions` has for its identifier and for its text.
    """

    number: int
    way: str
    rows: list[dict[str, Any]]
    parts: dict[str, str]
    states: dict[tuple[str | None, int], State]
    questions: dict[str, int]
    confidence: dict[tuple[str | None, int], float] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write it the way it is written."""
        columns = {name: [row.get(name) for row in self.rows] for name in self.rows[0]}
        suffix = {"semicolons": "csv", "bom": "csv"}.get(self.way, self.way)
        path = folder / f"table {self.number}.{suffix}"
        if self.way == "parquet":
            pq.write_table(pa.table(columns), path)
        elif self.way == "jsonl":
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)
            path.write_text("".join(lines), encoding="utf-8")
        elif self.way == "json":
            kept = {"name": "my results", "rows": self.rows} if self.number % 2 else self.rows
            path.write_text(json.dumps(kept, ensure_ascii=False, indent=self.number % 3 or None), encoding="utf-8")
        else:
            text = io.StringIO()
            delimiter = {"semicolons": ";", "tsv": "\t"}.get(self.way, ",")
            writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n" if self.way == "bom" else "\n")
            writer.writerow(columns)
            comma = self.way == "semicolons" and self.number % 2 == 1
            writer.writerows([_written(cell, comma) for cell in row.values()] for row in self.rows)
            path.write_text(text.getvalue(), encoding="utf-8-sig" if self.way == "bom" else "utf-8", newline="")
        return path


def _written(cell: Any, comma: bool) -> str:
    """A cell of a delimited file; the numbers of some have decimal commas."""
    text = "" if cell is None else str(cell)
    return text.replace(".", ",") if comma and isinstance(cell, float) else text


def tables(n: int) -> Iterator[Table]:
    """Make the first n tables."""
    for number in range(n):
        yield _table(number, random.Random(number))


def _table(number: int, chance: random.Random) -> Table:
    home = chance.choice(LANGUAGES)
    mixed = chance.random() < 0.25
    hidden = (
        chance.choice(("run", "id", "gold", "prediction", "outcome", "confidence")) if chance.random() < 0.25 else None
    )
    taken: set[str] = set()

    def name(part: str) -> str:
        known, _, unknown = NAMES[part][chance.choice(LANGUAGES) if mixed else home].partition(" | ")
        names = [one.strip() for one in (unknown if part == hidden and unknown else known).split(",")]
        free = [one for one in names if one.lower() not in taken] or [f"{one} {part}" for one in names]
        taken.add((chosen := chance.choice(free)).lower())
        return chosen

    judged = chance.random() < 0.75  # the table says which answers are right
    runs: list[str | None] = (
        [*chance.sample(["owl", "lamp", "heron-2", "Ära"], chance.choice((2, 3)))] if chance.random() < 0.6 else [None]
    )
    wanted = ["outcome"] if judged else ["gold", "prediction"]
    wanted += ["run"] if runs[0] else []
    identified = chance.choice(("id", "text", "both")) if hidden != "id" else "id"
    wanted += {"id": ["id"], "text": ["text"], "both": ["id", "text"]}[identified]
    wanted += [part for part in ("gold", "prediction") if part not in wanted and chance.random() < 0.6]
    silence = chance.choice(("word", "abstained", "answered", "empty", "none"))
    if silence == "word" and not judged:
        silence = "abstained"
    if silence == "empty" and "prediction" not in wanted:
        silence = "abstained"
    if silence == "empty" and hidden == "prediction" and judged:
        silence = "none"  # nobody could know that this column holds the answers
    wanted += [silence] if silence in ("abstained", "answered") else []
    wanted += ["confidence"] if chance.random() < 0.4 else []
    parts = {part: name(part) for part in wanted}
    others = [one for one in chance.sample(OTHERS.split(", "), chance.choice((0, 1, 2))) if one.lower() not in taken]
    words = [one for one in WORDS[home] if one[2] or silence != "word"]
    right, wrong, silent = chance.choice(words)
    yes, no = TRUTH[home] if chance.random() < 0.6 else ("1", "0")
    some_ungraded = judged and chance.random() < 0.15
    size = chance.choice((7, 10, 13))
    rows, states, confidence = [], {}, {}
    for run in runs:
        for q in range(size):
            state = chance.choice(("correct", "correct", "incorrect", "incorrect", "unanswered"))
            state = ("correct", "incorrect")[q] if q < 2 else "unanswered" if q == 2 else state
            state = "incorrect" if silence == "none" and state == "unanswered" else state
            state = "ungraded" if some_ungraded and q == 3 else state
            sure = round(chance.random(), 3)
            quiet = state == "unanswered"
            cells = {
                "run": run,
                "id": f"q{q + 1:02d}" if identified == "id" else q + 1,
                "text": f"What is thing {q}, and where?",
                "gold": f"thing {q}",
                "prediction": _prediction(q, state, silence, chance),
                "outcome": {
                    "correct": right,
                    "incorrect": wrong,
                    "ungraded": "",
                    "unanswered": _of_silence(silence, (wrong, silent), chance),
                }[state],
                "abstained": yes if quiet else no,
                "answered": no if quiet else yes,
                "confidence": None if quiet else sure,
            }
            row = {column: cells[part] for part, column in parts.items()}
            row |= {other: _other(other, q, chance) for other in others}
            rows.append(row)
            states[run, q] = state
            confidence[run, q] = sure
    order = chance.sample(list(rows[0]), len(rows[0]))
    rows = [{column: row[column] for column in order} for row in rows]
    if chance.random() < 0.5:
        chance.shuffle(rows)
    questions = {f"q{q + 1:02d}": q for q in range(size)} | {str(q + 1): q for q in range(size)}
    questions |= {f"What is thing {q}, and where?": q for q in range(size)}
    way = WAYS[number % len(WAYS)]
    known = confidence if "confidence" in parts and hidden != "confidence" else {}
    return Table(number, way, rows, parts, states, questions, known)


def _prediction(q: int, state: State, silence: str, chance: random.Random) -> str:
    if state == "unanswered":
        return "" if silence == "empty" or chance.random() < 0.5 else "I cannot tell."
    return f"thing {q}" if state == "correct" else f"nothing like {q}"


def _of_silence(silence: str, words: tuple[str, str], chance: random.Random) -> str:
    """What stands for a verdict where nothing was answered: its own word, or, where another column says so, wrong or
    nothing."""
    wrong, silent = words
    return silent if silence == "word" else chance.choice((wrong, ""))


def _other(name: str, q: int, chance: random.Random) -> Any:
    if name in ("topic", "Kategorie", "catégorie", "split"):
        return ("birds", "lamps", "sea")[q % 3]
    if name in ("latency_ms", "tokens", "durée"):
        return chance.randrange(100, 999)
    return round(chance.random(), 4) if name == "cost_usd" else f"remark {chance.randrange(99)}"
