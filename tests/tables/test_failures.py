"""Statuses of calls: the words that say that a call failed are asked about, and honest ones are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from nescio.tables.asking import AskedError
from tests.rings import together
from tests.tables.reading import counted, key

QUESTION = "do verdicts on answers with an error count, or are these answers failed calls without a grade"
FAILED = """
RateLimitError|APITimeoutError|openai.APIConnectionError|<class 'TimeoutError'>|ReadTimeout|ThrottlingException|json_decode_error
timeout_error|failed|failure|job_failed|error: timeout|timeout after 30s|Request timed out.|ValueError('x')|killed|overloaded
429 Too Many Requests|HTTP 503|HTTP/1.1 502 Bad Gateway|status_code=500|http_503|openai.RateLimitError: Error code: 429
""".strip()


@together("word", FAILED.replace("\n", "|").split("|"))
def test_a_status_that_names_a_failure_is_asked_about(tmp_path: Path, word: str) -> None:
    assert _asked(tmp_path, "status", word, "ok") == [((1, 1, 0, 1),), ((1, 1, 1, 0),)]
    assert _asked(tmp_path, "finish_reason", word, "stop") == [((1, 1, 0, 1),), ((1, 1, 1, 0),)]


@together(
    "name, word, other",
    [
        *((name, "APITimeoutError", "") for name in ("err", "error_type", "failure_reason", "model_status")),
        *((name, "1", "0") for name in ("crashed", "is_timeout", "cancelled", "tool_call_failed", "api_failure")),
        *(
            ("error_type", word, "")
            for word in ("api_error", "network failure", "timeout_error", "Internal server error")
        ),
        ("response_code", "503", "200"),
    ],
)
def test_a_column_named_for_failures_is_asked_about(tmp_path: Path, name: str, word: str, other: str) -> None:
    assert _asked(tmp_path, name, word, other) == [((1, 1, 0, 1),), ((1, 1, 1, 0),)]


@together("word", ["content_filter", "SAFETY", "blocked", "incomplete", "length", "parse_error"])
def test_a_text_that_lacks_beside_an_abstention_is_asked_about(tmp_path: Path, word: str) -> None:
    lost = (1, 1, 0, 1) if word in ("content_filter", "SAFETY", "blocked") else (1, 2, 0, 0)
    assert _asked(tmp_path, "finish_reason", word, "stop") == [(lost,), ((1, 1, 1, 0),)]


def test_a_status_with_other_details_in_each_row_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{i},unanswered,RateLimitError: request {i}" for i in range(60)]
    path.write_text("qid,verdict,status\n" + "\n".join((*rows, "a,correct,ok", "b,wrong,ok")))
    with pytest.raises(AskedError, match=QUESTION) as asked:
        counted(path)
    assert [key(way.counts) for way in asked.value.executed] == [((1, 1, 0, 60),), ((1, 1, 60, 0),)]


def test_a_failure_beside_a_declined_answer_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,correct,abstained,error_type\n1,1,0,\n2,0,1,ReadTimeout\n3,0,0,factual_error\n")
    with pytest.raises(AskedError, match=QUESTION) as asked:
        counted(path)
    assert [key(way.counts) for way in asked.value.executed] == [((1, 1, 0, 1),), ((1, 1, 1, 0),)]
    path.write_text("qid,correct,abstained,error_type\n1,1,0,\n2,0,1,\n3,0,0,factual_error\n")
    assert counted(path) == ((1, 1, 1, 0),)


@together(
    "rows",
    [
        "status correct,ok wrong,ok unanswered,ok",
        "status correct,passed wrong,failed unanswered,failed",  # in the words of verdicts, and it agrees
        "status correct,recovered_from_error wrong,no_error unanswered,ok",
        "status correct,stop wrong,stop unanswered,refusal",
        "error_type correct, wrong,factual_error unanswered,",  # the fault of an answer
        "error_type correct, wrong,reasoning_error unanswered,abstention_error",
        "error_category correct,none wrong,factual unanswered,incomplete",
        "failure_mode correct,none wrong,hallucination unanswered,retrieval_failure",
        "tool_error correct, wrong, unanswered,TimeoutError",  # of a part of the system
        "citation_status correct,ok wrong,missing unanswered,incomplete",
        "failed_attempts correct,0 wrong,0 unanswered,1",
        "fail correct,0 wrong,1 unanswered,1",  # agrees with the verdict
        "safety correct,1 wrong,1 unanswered,0",  # a kind of question
        "recitation correct,yes wrong,no unanswered,yes",
        "length correct,1 wrong,0 unanswered,1",
        "filtered correct,1 wrong,1 unanswered,1",
        "truncated correct,0 wrong,1 unanswered,1",
        "error_count correct,1 wrong,2 unanswered,450",
        "standard_error correct,0.1 wrong,0.2 unanswered,1",
    ],
)
def test_an_honest_status_is_not_asked_about(tmp_path: Path, rows: str) -> None:
    name, *cells = rows.split()
    path = tmp_path / "t.csv"
    path.write_text(f"qid,verdict,{name}\n" + "".join(f"{i},{line}\n" for i, line in enumerate(cells)))
    assert counted(path) == ((1, 1, 1, 0),)


def _asked(folder: Path, name: str, word: str, other: str) -> list[object]:
    """Return the counts of the answers to the question about a status that is `word` beside an abstention."""
    path = folder / "t.csv"
    path.write_text(f'qid,verdict,{name}\n1,correct,{other}\n2,unanswered,"{word}"\n3,wrong,{other}\n')
    with pytest.raises(AskedError, match=QUESTION) as asked:
        counted(path)
    return [key(way.counts) for way in asked.value.executed]
