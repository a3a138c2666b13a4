"""What a column says of answers under a name that no lexicon knows, and which last row sums up the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from nescio.pipeline import Options
from nescio.pipeline.reading import read
from nescio.tables.asking import AskedError
from tests.rings import together
from tests.tables.reading import counted, key

# A table, the question, and the counts of each run under the first answer, counted by hand.
FIRST = {
    "a verdict that does not say what it compares": (
        "qid,is_match\n1,1\n2,0\n3,1\n",
        "which column says whether an answer is right?",
        ((2, 1, 0, 0),),
    ),
    "an empty answer that is called wrong where declining is right": (
        "qid,prediction,correct,is_answerable\n1,x,1,1\n2,,0,0\n3,y,0,1\n",
        "1 answer is empty",
        ((2, 1, 0, 0),),
    ),
    "a judge of hallucinations": (
        "qid,answer,gold,Judge Hallucination,refused\n1,It is Rome.,Rome,no,no\n2,It is Oslo.,Lima,yes,no\n3,Nothing.,Bern,yes,yes\n",
        "",
        ((1, 1, 1, 0),),
    ),
    "a flag": (
        "qid,correct,flag\n1,1,0\n2,0,1\n3,0,0\n",
        "which column says that the system abstained?",
        ((1, 1, 1, 0),),
    ),
    "answers that were handed over": (
        "Nr,Bewertung,Weiterleitung an Mitarbeiter\n1,korrekt,nein\n2,falsch,ja\n3,falsch,nein\n",
        "which column says that the system abstained?",
        ((1, 1, 1, 0),),
    ),
    "answers that were selected": (
        "qid,em,selected\n1,1,1\n2,0,0\n3,0,1\n",
        "which column says that the system abstained?",
        ((1, 1, 1, 0),),
    ),
    "answers of two runs, some of which are the number one": (  # where others decline, "1" does not
        "Frage,Bot A,A richtig?,Bot B,B richtig?\n1+0,1,ja,2,nein\n1+1,weiß nicht,-,2,ja\n1+2,3,ja,weiß nicht,-\n",
        "what does '-' in 'A richtig?' mean?",
        ((1, 1, 1, 0), (2, 0, 1, 0)),
    ),
    "points of two runs": (
        "Nr,Frage,gpt points,llama points\n1,a?,1,0\n2,b?,0.5,1\n3,c?,0,0.5\n",
        "from which value of 'gpt points' (numbers from 0 to 1) on is an answer right?",
        ((2, 1, 0, 0), (2, 1, 0, 0)),
    ),
    "two judges of each run": (
        "qid,approach,verdict a,verdict b\n1,x,1,1\n1,y,0,0\n2,x,0,1\n2,y,1,1\n",
        "which column says whether an answer is right?",
        ((1, 1, 0, 0), (1, 1, 0, 0)),
    ),
    "a part of a pipeline, and words of another verdict": (
        "qid,cache_hit,rouge_l,hallucination_label\n1,1,0.2,no_hallucination\n2,0,0.7,hallucination\n3,1,0.1,hallucination\n",
        "which column says whether an answer is right?",
        ((1, 2, 0, 0),),
    ),
    "a word for right that may be a pass": (
        "qid,verdict\n1,correct\n2,incorrect\n3,pass\n4,correct\n",
        "what does 'pass' in 'verdict' mean?",
        ((2, 1, 1, 0),),
    ),
    "letters of graders beside a verdict": (
        "qid,hallucinated,llm_decision\n1,no,C\n2,yes,I\n3,yes,N\n4,no,C\n",
        "what do 'C', 'I', 'N' in 'llm_decision' mean?",
        ((2, 1, 1, 0),),
    ),
    "letters of graders beside answers": (
        "qid,model,prediction,gold,decision\n1,a,x,x,A\n1,b,y,x,B\n2,a,z,y,C\n2,b,y,y,A\n",
        "what do 'A', 'B', 'C' in 'decision' mean?",
        ((1, 0, 1, 0), (1, 1, 0, 0)),
    ),
    "a column of refusals for each run": (
        "qid,answer_a,correct_a,response_type_a,answer_b,correct_b,response_type_b\n"
        "1,x,1,grounded,y,0,refusal\n2,y,0,refusal,x,1,grounded\n3,z,0,grounded,z,0,grounded\n",
        "which column says that the system abstained?",
        ((1, 1, 1, 0), (1, 1, 1, 0)),
    ),
    "a run called by a letter that is an ending of the word before it": (  # "correcta", in Spanish
        "qid,correct_a,correct_b\n1,1,0\n2,0,1\n3,1,0\n",
        "which column says whether an answer is right?",
        ((1, 2, 0, 0), (2, 1, 0, 0)),
    ),
    "runs in the same words, one of which is unknown": (
        "qid,m1,m2\n1,correct,slip\n2,slip,abstention\n3,abstention,correct\n",
        "what does 'slip' in 'm1' mean?",
        ((1, 1, 1, 0), (1, 1, 1, 0)),
    ),
    "a judgement beside an answer, for each run": (
        "qid,a_answer,a_judgement,b_answer,b_judgement\n1,x,correct,,incorrect\n2,,incorrect,y,correct\n",
        "2 answers are empty",
        ((1, 0, 1, 0), (1, 0, 1, 0)),
    ),
    "prompts that cross the questions": (
        "id,prompt,system,grade,n\n"
        "1,base,a,correct,0\n2,base,a,incorrect,1\n3,base,a,correct,2\n1,cot,a,incorrect,3\n2,cot,a,correct,4\n"
        "3,cot,a,correct,5\n1,base,b,correct,6\n2,base,b,correct,7\n3,base,b,correct,8\n1,cot,b,incorrect,9\n"
        "2,cot,b,incorrect,10\n3,cot,b,incorrect,11\n",
        "",
        ((0, 3, 0, 0), (2, 1, 0, 0), (2, 1, 0, 0), (3, 0, 0, 0)),
    ),
    "rows that occur twice beside what was measured": (
        "qid,correct,tokens\n1,1,11\n1,0,12\n2,1,13\n",
        "appears twice",
        ((2, 0, 0, 0),),
    ),
    "a run called baseline": (
        "item,gpt.success,baseline.success\n1,1,0\n2,1,1\n3,1,1\n4,0,0\n",
        "which column says whether an answer is right?",
        ((2, 2, 0, 0), (3, 1, 0, 0)),
    ),
    "a run called by its number of shots": (
        "item,gpt/correct,zero_shot/correct\n1,1,0\n2,1,1\n3,1,1\n4,0,0\n",
        "which column says whether an answer is right?",
        ((2, 2, 0, 0), (3, 1, 0, 0)),
    ),
    "a run called by a letter that is a beginning of the word behind it": (  # "acerto", in Portuguese
        "id,rag_certo,A_certo\n1,1,0\n2,1,1\n3,1,1\n4,0,0\n",
        "which column says whether an answer is right?",
        ((2, 2, 0, 0), (3, 1, 0, 0)),
    ),
    "a verdict that is not a number": (
        "id,correct,hit\n1,1,1\n2,0,0\n3,NaN,0\n4,1,0\n",
        "what does 'NaN' in 'correct' mean?",
        ((2, 1, 1, 0),),
    ),
    "a word in place of an answer": (
        "id,tekst,correct\n1,Paris,1\n2,Nieznane,0\n3,Bonn,0\n",
        "how should answers that decline in words count?",
        ((1, 1, 1, 0),),
    ),
    "a part of a context called after the key": (
        "id,gold_in_context,correct\n1,1,1\n2,0,0\n3,0,1\n",
        "",
        ((2, 1, 0, 0),),
    ),
    "a column that describes the questions, beside words for outcomes with a noun": (
        "qid,bot,multi_hop,grading\n1,a,1,wrong answer\n1,b,1,correct answer\n2,a,0,wrong answer\n2,b,0,wrong answer\n",
        "which column says whether an answer is right?",
        ((0, 2, 0, 0), (1, 1, 0, 0)),
    ),
    "a name for right beside a name for something else": (
        "question,has_table,ok,topic\n1,1,0,x\n2,0,0,y\n3,1,1,z\n",
        "which column says whether an answer is right?",
        ((1, 2, 0, 0),),
    ),
    "a penalty for wrong answers": (
        "id,score\n1,1\n2,-0.25\n3,0\n4,1\n",
        "mean?",
        ((2, 1, 1, 0),),
    ),
    "points with a penalty": (
        "id,points\n1,2\n2,-1\n3,0\n4,2\n",
        "mean?",
        ((2, 1, 1, 0),),
    ),
    "two letters of graders beside a word": (
        "id,grade\n1,C\n2,I\n3,left blank\n4,C\n",
        "what do 'C', 'I' in 'grade' mean?",
        ((2, 1, 1, 0),),
    ),
    "runs called by the numbers of a quantised model": (
        "id,correct_int8,correct_f16\n1,1,0\n2,0,0\n3,1,1\n",
        "which column says whether an answer is right?",
        ((1, 2, 0, 0), (2, 1, 0, 0)),
    ),
    "types after names": (
        "id_int,target_str,response_str,p_float\n1,x,x,0.5\n2,y,x,0.2\n3,x,I do not know.,0.1\n",
        "1 answer may decline in words",
        ((1, 1, 1, 0),),
    ),
    "a second row of each question beside a column that tells runs apart": (
        "qid,setup,correct\n1,x,1\n1,y,0\n2,x,1\n2,y,1\n",
        "appears twice",
        ((1, 1, 0, 0), (2, 0, 0, 0)),
    ),
    **{  # the third was declined
        f"a flag called {name}": (
            f"id,{name},correct\n1,{yes},1\n2,{yes},0\n3,{no},0\n",
            "which column says that the system abstained?",
            ((1, 1, 1, 0),),
        )
        for name, yes, no in (
            ("Has Response", 1, 0),
            ("did_respond", "yes", "no"),
            ("committed", "true", "false"),
            ("odpowiedziano", "tak", "nie"),
            ("recusa", 0, 1),
            ("wstrzymanie", "nie", "tak"),
            ("is_not_attempted", 0, 1),
            ("never_responded", 0, 1),
            ("nicht_geantwortet", "nein", "ja"),
            ("bot_did_not_answer", 0, 1),
        )
    },
}


@together("kind", [*FIRST])
def test_the_first_answer_is_what_the_table_means(tmp_path: Path, kind: str) -> None:
    text, question, expected = FIRST[kind]
    path = tmp_path / "t.csv"
    path.write_text(text)
    if not question:  # read at once
        assert counted(path) == expected
        return
    with pytest.raises(AskedError) as asked:
        counted(path)
    assert question in asked.value.question
    first = asked.value.executed[0]
    assert key(first.counts) == expected == counted(path, **first.options)


def test_0_beside_a_penalty_is_asked_about_until_the_user_says_what_it_means(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,score\n1,1\n2,-0.5\n3,0\n4,1\n")
    with pytest.raises(AskedError, match="what does '0' in 'score' mean"):
        counted(path, outcome_map={"-0.5": "incorrect"})
    assert counted(path, outcome_map={"-0.5": "incorrect", "0": "unanswered"}) == ((2, 1, 1, 0),)
    # A code for silence leaves 0 its meaning.
    assert counted(path, outcome_map={"-0.5": "unanswered"}) == ((2, 1, 1, 0),)


@pytest.mark.parametrize("one", ["1", "1.0", "1.00"])
def test_numbers_of_a_map_are_found_however_a_table_spells_them(tmp_path: Path, one: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,outcome\n1,1.0\n2,0.0\n3,1.0\n")
    assert counted(path, outcome_map={one: "incorrect", "0": "correct"}) == ((1, 2, 0, 0),)


def test_a_word_for_right_means_right_beside_a_word_for_wrong_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,verdict\n1,pass\n2,fail\n3,pass\n")
    assert counted(path) == ((2, 1, 0, 0),)


def test_letters_that_belong_to_the_question_grade_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,model,correct,level\n1,a,1,A\n1,b,0,A\n2,a,0,B\n2,b,1,B\n3,a,1,C\n3,b,1,C\n")
    assert counted(path) == ((2, 1, 0, 0), (2, 1, 0, 0))


@together("total", ["1", "33.3%", "0.33"])
def test_a_word_after_numbered_questions_that_sums_them_up_is_no_question(tmp_path: Path, total: str) -> None:
    """One of them is right, so that the sum might be a grade as well."""
    path = tmp_path / "t.csv"
    rows = f"q1,Who?,1\nq2,When?,0\nq3,Where?,0\nYhteensä,,{total}\n"
    path.write_text(f"qid,question,correct\n{rows}", encoding="utf-8")
    assert counted(path) == ((1, 2, 0, 0),)


def test_graded_answers_beside_their_questions_are_no_file_of_questions(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    line = '{{"id": "{}", "model": "a", "score": "{}", "question": "{}"}}\n'
    path.write_text(line.format(1, "true", "Who?") + line.format(2, "false", "When?"))
    assert counted(path) == ((1, 1, 0, 0),)


def test_a_last_grade_that_is_the_sum_of_the_others_by_chance_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,rating\nq0,1\nq1,2\nq2,1\nq3,4\n")
    with pytest.raises(AskedError, match="from which value of 'rating'"):
        read([path], Options())


@together("text", ["Nieznane", "<no answer>", "Unknown", "I don't know"])
def test_a_text_in_place_of_an_answer_among_many_is_asked_about(tmp_path: Path, text: str) -> None:
    """The column has no role by its name, and more different texts than nescio lists; ten of them decline."""
    path = tmp_path / "t.csv"
    rows = [f"{i},{f'Town {i}' if i % 8 else text},{int(i % 8 > 0 and i % 2)}" for i in range(80)]
    path.write_text("\n".join(["id,tekst,correct", *rows]), encoding="utf-8")
    with pytest.raises(AskedError, match="decline in words") as asked:
        read([path], Options())
    assert {((40, 30, 10, 0),), ((40, 40, 0, 0),)} == {key(way.counts) for way in asked.value.executed}


@together("run", ["baseline", "zero_shot", "few_shot", "oracle", "rag"])
def test_no_run_of_an_object_is_left_out(tmp_path: Path, run: str) -> None:
    path = tmp_path / "t.jsonl"
    line = '{{"qid": {}, "outputs": {{"gpt": {{"judgement": {}}}, "{}": {{"judgement": {}}}}}}}\n'
    path.write_text(line.format(1, "true", run, "false") + line.format(2, "true", run, "true"))
    assert counted(path) == ((1, 1, 0, 0), (2, 0, 0, 0))


def test_the_answers_of_no_run_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    line = '{{"qid": {}, "gold": "x", "outputs": {{"gpt": {{"answer": "x"}}, "baseline": {{"answer": "{}"}}}}}}\n'
    path.write_text(line.format(1, "x") + line.format(2, "y"))
    with pytest.raises(AskedError) as asked:
        read([path], Options())
    assert key(asked.value.executed[0].counts) == ((1, 1, 0, 0), (2, 0, 0, 0))
