"""Statements of questions with their answers: by hand, and over a generated grid of subjects, verbs and tenses."""

from __future__ import annotations

import itertools

import pytest

from nescio.systems.hypotheses import around, hypothesis, language_of
from nescio.systems.hypotheses.english_words import past, third_person
from tests.rings import together

# Written by hand; the first answers are the paper's Figure 3.
ENGLISH = [
    ("What is Zanussi?", "an Italian producer of home appliances", "Zanussi is an Italian producer of home appliances."),
    ("What is Zanussi?", "was an Italian producer of home appliances", "Zanussi was an Italian producer of home appliances."),
    ("What is Zanussi?", "who had also been in Cassibile since August 31", "Zanussi had also been in Cassibile since August 31."),
    ("How far is Warsaw from the Baltic Sea?", "roughly 260 kilometres", "Warsaw is roughly 260 kilometres from the Baltic Sea."),
    ("How far is Vienna to the east?", "60 km", "Vienna is 60 km to the east."),
    (
        "Where is the difference between rich and poor most noticeable?",
        "Calgary",
        "The difference between rich and poor is most noticeable in Calgary.",
    ),
    ("Where did Napoleon die?", "Saint Helena", "Napoleon died in Saint Helena."),
    ("How tall is Mont Blanc?", "4,810 metres", "Mont Blanc is 4,810 metres tall."),
    ("Where was Chopin born?", "Warsaw", "Chopin was born in Warsaw."),
    ("Who founded Saint Petersburg?", "Peter the Great", "Peter the Great founded Saint Petersburg."),
    ("Who did Edgar marry?", "Margaret", "Edgar married Margaret."),
    ("Who is Bohemond's son?", "Robert", "Robert is Bohemond's son."),
    ("Whose ideas became radical?", "Qutb", "Qutb's ideas became radical."),
    ("Whose ideas became radical?", "Qutb's", "Qutb's ideas became radical."),
    ("How long was Rome occupied?", "from 390 until 386", "Rome was occupied from 390 until 386."),
    ("How long was Rome occupied?", "four years", "Rome was occupied for four years."),
    ("When did the war end?", "1945", "The war ended in 1945."),
    ("When did the war end?", "8 May 1945", "The war ended on 8 May 1945."),
    ("When did the war end?", "after six years", "The war ended after six years."),
    ("How many people live there?", "300", "300 people live there."),
    ("How many people did he see?", "300", "He saw 300 people."),
    ("How many moons are there?", "two", "There are two moons."),
    ("Which river flows through Rome?", "The Tiber", "The Tiber flows through Rome."),
    ("What did Egypt sell in 1900?", "wheat", "Egypt sold wheat in 1900."),
    ("What does the museum cover?", "Western art", "The museum covers Western art."),
    ("In what country is Normandy located?", "France", "Normandy is located in France."),
    ("In what year did Chopin die?", "1849", "Chopin died in 1849."),
    ("What year did Chopin die?", "1849", "Chopin died in 1849."),
    ("To whom did Edgar give the crown?", "Margaret", "Edgar gave the crown to Margaret."),
    ("A function problem is an example of what?", "a relation", "A function problem is an example of a relation."),
    ("What is the war called in France?", "the Great War", "The war is called the Great War in France."),
    ("Who was Anna killed by?", "a bear", "Anna was killed by a bear."),
    ("What percentage of the people voted?", "40%", "40% of the people voted."),
    ("What happened in 1066?", "a conquest", "A conquest happened in 1066."),
    ("Why did the club close?", "it lost money", "The club closed because it lost money."),
    ("Why did the club close?", "a fire", "The club closed because of a fire."),
    ("How long did the war last?", "six years", "The war lasted six years."),
    ("How are forces determined?", "experiments", "Forces are determined by experiments."),
    ("Name a river that flows through Rome.", "The Tiber", "The Tiber is a river that flows through Rome."),
    ("Who works there?", "two dentists", "Two dentists work there."),
    ("During the war, who was king?", "Hugo", "During the war, Hugo was king."),
]  # fmt: skip
SPANISH = [
    ("¿A qué partido pertenece Tony Blair?", "al Partido Laborista", "Al Partido Laborista pertenece Tony Blair."),
    ("¿De qué país es presidente Nelson Mandela?", "Sudáfrica", "Nelson Mandela es presidente de Sudáfrica."),
    ("¿Qué es Zanussi?", "un fabricante italiano", "Zanussi es un fabricante italiano."),
    ("¿Dónde nació Chopin?", "Varsovia", "En Varsovia nació Chopin."),
    ("¿En qué año terminó la guerra?", "1945", "En el año 1945 terminó la guerra."),
    ("¿Cuál es la capital de Francia?", "París", "La capital de Francia es París."),
    ("Cual es la capital de Francia?", "París", "La capital de Francia es París."),
    ("¿Cuántos habitantes tiene Roma?", "300", "300 habitantes tiene Roma."),
    ("¿Cuánto mide el Mont Blanc?", "4.810 metros", "El Mont Blanc mide 4.810 metros."),
    ("¿Quién fundó la ciudad?", "Pedro", "Pedro fundó la ciudad."),
    ("Nombre un río que pasa por Roma.", "el Tíber", "El Tíber es un río que pasa por Roma."),
]
GERMAN = [
    ("Womit wird Champagner verschlossen?", "einem Korken", "Mit einem Korken wird Champagner verschlossen."),
    ("Woran starb Mozart?", "an Fieber", "An Fieber starb Mozart."),
    ("Was ist Zanussi?", "ein italienischer Hersteller", "Zanussi ist ein italienischer Hersteller."),
    ("Wo wurde Chopin geboren?", "Warschau", "In Warschau wurde Chopin geboren."),
    ("In welchem Jahr endete der Krieg?", "1945", "Im Jahr 1945 endete der Krieg."),
    ("Wie hoch ist der Mont Blanc?", "4810 Meter", "Der Mont Blanc ist 4810 Meter hoch."),
    ("Wie viele Einwohner hat Rom?", "300", "300 Einwohner hat Rom."),
    ("Wer gründete die Stadt?", "Peter", "Peter gründete die Stadt."),
    ("Nennen Sie einen Fluss, der durch Rom fließt.", "der Tiber", "Der Tiber ist ein Fluss, der durch Rom fließt."),
]


@together("question, answer, expected", ENGLISH + SPANISH + GERMAN)
def test_a_question_and_its_answer_make_a_sentence(question: str, answer: str, expected: str) -> None:
    assert hypothesis(question, answer) == expected


@pytest.mark.parametrize(("rows", "language"), [(ENGLISH, "en"), (SPANISH, "es"), (GERMAN, "de")])
def test_the_language_is_guessed_from_the_question(rows: list[tuple[str, str, str]], language: str) -> None:
    assert {language_of(question) for question, _, _ in rows} == {language}


SUBJECTS = ["Hugo", "the old king", "Peter the Great", "the Bank of England", "he"]
VERBS = [("buy", "bought", "buys"), ("carry", "carried", "carries"), ("stop", "stopped", "stops"), ("find", "found", "finds"),
         ("reach", "reached", "reaches"), ("use", "used", "uses"), ("play", "played", "plays"), ("visit", "visited", "visits")]  # fmt: skip
WHERE = ["", "in Rome", "during the war", "with a friend"]


@together("subject, verb, where", list(itertools.product(SUBJECTS, VERBS, WHERE)))
def test_verbs_take_the_tense_of_do(subject: str, verb: tuple[str, str, str], where: str) -> None:
    base, before, now = verb
    begin = subject[:1].upper() + subject[1:]
    end = f" {where}" if where else ""
    assert hypothesis(f"What did {subject} {base}{end}?", "boats") == f"{begin} {before} boats{end}."
    assert hypothesis(f"What does {subject} {base}{end}?", "boats") == f"{begin} {now} boats{end}."
    assert hypothesis(f"How many boats did {subject} {base}{end}?", "9") == f"{begin} {before} 9 boats{end}."
    assert hypothesis(f"When did {subject} {base} boats{end}?", "1900") == f"{begin} {before} boats{end} in 1900."


def test_forms_of_verbs() -> None:
    assert [past(v) for v in ("die", "try", "plan", "win", "prefer", "play")] == [
        "died",
        "tried",
        "planned",
        "won",
        "preferred",
        "played",
    ]
    assert [third_person(v) for v in ("try", "go", "have", "play", "wash")] == [
        "tries",
        "goes",
        "has",
        "plays",
        "washes",
    ]


@together("question", ["", "?", "who", "What", "How many", "in what", "¿", "Wie", "Name", "do you", "the of the"])
@together("answer", ["", "a", "the"])
@together("language", ["", "en", "ES", "de-AT", "xx"])
def test_any_question_gets_some_statement_with_the_answer_in_it(question: str, answer: str, language: str) -> None:
    before, after = around(question, answer, language)
    assert "\0" not in before + after
    assert answer.lower() in hypothesis(question, answer, language).lower()
