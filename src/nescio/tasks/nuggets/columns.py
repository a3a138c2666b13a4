"""The columns of definition questions, of their automatic matching, and of the other questions of TREC's main task."""

from __future__ import annotations

from typing import Literal

from nescio.data.columns import Column, Summary, declare


def _count(name: str, meaning: str, total: str = "", dtype: Literal["count", "score"] = "count") -> Column:
    return Column(name, meaning, dtype, summaries=(Summary("sum", total),) if total else ())


declare(
    _count("nuggets.vital", "the vital nuggets of the key (R)", "vital nuggets in the key"),
    _count("nuggets.okay", "the okay nuggets of the key"),
    _count("nuggets.vital_found", "vital nuggets that assessors found in the response (r)", "vital nuggets found"),
    _count("nuggets.okay_found", "okay nuggets that assessors found in the response (a)", "okay nuggets found"),
    _count("nuggets.vital_partial", "vital nuggets found in part"),
    _count("nuggets.okay_partial", "okay nuggets found in part"),
    _count(
        "nuggets.response_length",
        "non-white characters of all answer strings (l)",
        "characters of the responses",
    ),
    Column("nuggets.string_precision", "a thesis's mean precision of the answer strings; 1 for silence", "score"),
    Column("nuggets.pyramid_found", "the weights of the matched nuggets", "score"),
    Column("nuggets.pyramid_weight", "the weights of all nuggets of the key", "score"),
    Column(
        "nuggets.order",
        "Kendall's tau of the matched nuggets, response against key",
        "score",
        when_missing="two matched nuggets in different strings",
    ),
    Column(
        "pourpre.match",
        "POURPRE: the sum of the matches of vital nuggets",
        "score",
        instead="what was matched automatically is measured by nuggets.automatic_F and its kin",
    ),
    _count("pourpre.found", "POURPRE: how many nuggets match at all", "nuggets matched in part or whole"),
    _count("nuggets.factoid", "1 for a factoid question of TREC's main task", "factoid questions"),
    _count("nuggets.factoid_right", "1 if the factoid question is answered rightly"),
    _count("nuggets.definition", "1 for a definition question of TREC's main task", "definition questions"),
    _count("nuggets.list_distinct", "list questions: right distinct instances returned"),
    _count("nuggets.list_returned", "list questions: all instances returned"),
    _count("nuggets.list_known", "list questions: all instances known"),
)
