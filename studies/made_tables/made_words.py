"""Hold the names and words that people use in result tables, by role and language."""

from __future__ import annotations

from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | None

NAMES: dict[str, dict[str, str]] = {  # role -> language -> names, words separated by a blank, names by a bar
    "run": {
        "en": "model|model name|system|method|run id|agent|condition|engine|variant|model id|approach",
        "de": "Modell|System|Methode|Verfahren",
        "fr": "modèle|système|méthode",
        "es": "modelo|sistema|método",
    },
    "question": {
        "en": "id|question id|qid|sample id|item id|task id|example id|instance id|case id|query id|doc id|uid",
        "de": "Frage ID|Frage Nr|Aufgabe|Fragenummer",
        "fr": "id question|identifiant|numéro question",
        "es": "id pregunta|pregunta id|identificador",
    },
    "outcome": {
        "en": "correct|is correct|outcome|verdict|grade|judgement|judgment|judge verdict|evaluation|correctness",
        "de": "richtig|Ergebnis|Bewertung|korrekt|Urteil",
        "fr": "résultat|verdict|jugement|évaluation",
        "es": "resultado|correcto|veredicto|evaluación",
    },
    "hit": {  # names of two-valued verdicts: true means right
        "en": "correct|is correct|passed|success|exact match|accuracy|acc|resolved|solved|score|Correct?|hit@1|pass",
        "de": "richtig|korrekt|bestanden|ist richtig",
        "fr": "correct|est correct|juste|réussi",
        "es": "correcto|es correcto|acierto",
    },
    "miss": {
        "en": "incorrect|is wrong|wrong|is incorrect",
        "de": "falsch|ist falsch",
        "fr": "incorrect|faux",
        "es": "incorrecto",
    },
    "prediction": {
        "en": "prediction|predicted|pred|model answer|response|output|model output|predicted answer|hypothesis",
        "de": "Antwort|Modellantwort|Vorhersage",
        "fr": "réponse|réponse modèle|prédiction",
        "es": "respuesta|predicción|respuesta modelo",
    },
    "gold": {
        "en": "gold|gold answer|ground truth|reference|expected|expected answer|target|correct answer|label",
        "de": "Referenz|Musterlösung|richtige Antwort",
        "fr": "référence|réponse attendue|réponse correcte",
        "es": "referencia|respuesta correcta|respuesta esperada",
    },
    "confidence": {
        "en": "confidence|conf|confidence score|probability|certainty|model confidence",
        "de": "Konfidenz|Sicherheit",
        "fr": "confiance",
        "es": "confianza",
    },
    "abstained": {
        "en": "abstained|refused|declined|is refusal|did abstain|predicted abstention|is abstention|abstention",
        "de": "Enthaltung|abgelehnt",
        "fr": "abstention|refus",
        "es": "abstención|rechazado",
    },
    "answered": {
        "en": "answered|attempted|is attempted|responded|did answer",
        "de": "beantwortet",
        "fr": "répondu",
        "es": "respondido|contestado",
    },
    "answerable": {"en": "answerable|is answerable", "de": "beantwortbar", "fr": "répondable", "es": "respondible"},
    "unanswerable": {
        "en": "should abstain|should refuse|is impossible|unanswerable|label is abstention|expected abstention",
        "de": "unbeantwortbar|nicht beantwortbar",
        "fr": "sans réponse possible",
        "es": "sin respuesta posible",
    },
    "behavior": {"en": "expected behavior|gold action|expected action|expected behaviour|target action"},
    "repeat": {
        "en": "seed|attempt|trial|repeat|run idx|replicate|repetition|random seed",
        "de": "Durchgang|Wiederholung",
        "fr": "essai|graine",
        "es": "intento|semilla",
    },
    "error": {
        "en": "error|error message|exception|api error|errors",
        "de": "Fehler|Fehlermeldung",
        "fr": "erreur",
        "es": "error",
    },
    "template": {
        "en": "template|prompt|prompt template|prompt name|strategy",
        "de": "Vorlage",
        "fr": "gabarit",
        "es": "plantilla",
    },
    "text": {"en": "question|query|input|question text", "de": "Frage", "fr": "question", "es": "pregunta"},
}
STYLES = ("snake", "snake", "snake", "camel", "space", "kebab", "pascal", "upper", "title")
BOOLS: list[tuple[str, Cell, Cell]] = [  # language, true, false
    ("", True, False), ("", True, False), ("", 1, 0), ("", 1, 0), ("", 1.0, 0.0), ("", "true", "false"),
    ("", "TRUE", "FALSE"), ("", "yes", "no"), ("", "Yes", "No"), ("", "Y", "N"), ("de", "ja", "nein"),
    ("de", "wahr", "falsch"), ("fr", "oui", "non"), ("fr", "vrai", "faux"), ("es", "sí", "no"),
]  # fmt: skip
WORDS: list[tuple[str, str, str, str]] = [  # language, right, wrong, silent
    ("", "correct", "incorrect", "unanswered"), ("", "CORRECT", "INCORRECT", "NOT_ATTEMPTED"),
    ("", "right", "wrong", "abstained"), ("", "Correct", "Incorrect", "Refused"), ("", "correct", "wrong", "no answer"),
    ("", "correct", "incorrect", "abstain"), ("", "pass", "fail", "declined"), ("", "✓", "✗", "abstained"),
    ("de", "richtig", "falsch", "keine Antwort"), ("de", "korrekt", "inkorrekt", "Enthaltung"),
    ("fr", "correct", "incorrect", "sans réponse"), ("fr", "juste", "faux", "abstention"),
    ("es", "correcto", "incorrecto", "sin respuesta"), ("es", "Correcta", "Incorrecta", "abstención"),
    ("it", "corretto", "errato", "nessuna risposta"), ("pt", "certo", "errado", "sem resposta"),
]  # fmt: skip
UNKNOWN_WORDS = [
    ("blue", "red", "grey"), ("T1", "T2", "T3"), ("kept", "dropped", "parked"), ("grün", "rot", "gelb"),
    ("zorp", "flim", "quut"), ("1a", "2b", "3c"), ("stage-x", "stage-y", "stage-z"), ("oben", "unten", "mitte"),
]  # fmt: skip
ACTIONS = [("answer", "abstain"), ("ANSWER", "ABSTAIN"), ("answer", "refuse"), ("respond", "decline")]
MODELS = ["gpt-4o", "claude-3", "llama-3-8b", "Qwen2.5", "mistral-7B", "baseline", "rag", "ours", "Modèle Ω", "X: x-1"]
PREFIXES = ["modelA", "modelB", "base", "rag", "gpt4", "llama", "ours", "naive", "plain", "cot"]
CITIES = ["Rome", "Oslo", "Bern", "Riga", "Zürich", "São Paulo", "Kraków", "Łódź", "Vienna", "Lima", "Quito", "Kyiv"]
SAID_NOTHING = ["I don't know", "I don't know.", "", "", "N/A", "unanswerable"]
SUMMARY = ["TOTAL", "Total", "Average", "Mean", "Overall", "Gesamt", "Summe"]
