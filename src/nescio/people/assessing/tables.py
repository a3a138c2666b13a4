"""Define the tables. No row of `records` is ever changed: the newest record of an item and a person counts."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text

metadata = MetaData()
# The text is in every language, so no length is given; times are seconds since 1970.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

about = Table("about", metadata, Column("name", Text, primary_key=True), Column("value", JSON, nullable=False))
units = Table(  # a topic: all of its items go to the same persons, so that they are judged alike
    "units",
    metadata,
    Column("topic", Text, primary_key=True),
    Column("language", Text, nullable=False),
    Column("times", Integer, nullable=False),  # the number of persons who should judge it
    Column("taken", Integer, nullable=False),  # the number of persons who have it, or have judged it
    Column("rank", Float, nullable=False),  # a random number
    Column("part", Text, nullable=False, server_default=""),  # `training` or `control`, whose verdicts are known
    Column("inclusion", Float),  # the probability of being drawn; NULL without a draw
    Column("strata", JSON, nullable=False, server_default="{}"),  # further columns of its question
)
Index(
    "units_open",
    units.c.rank,
    sqlite_where=units.c.taken < units.c.times,
    postgresql_where=units.c.taken < units.c.times,
)
items = Table(
    "items",
    metadata,
    Column("id", Text, primary_key=True),
    Column("topic", Text, ForeignKey("units.topic"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("supports", JSON, nullable=False),
    Column("pool", Integer, nullable=False),
    Column("known", Text, nullable=False, server_default=""),  # the verdict that is known, and why it is right
    Column("why", Text, nullable=False, server_default=""),
    Column("grade", Text, nullable=False, server_default=""),  # a judge's, shown once a person has judged
    Column(
        "given", JSON(none_as_null=True)
    ),  # the id of the question and the answer, if the screen shows them differently
    Column("gone", Integer, nullable=False, server_default="0"),  # 1: no run gives it any more, so nobody is asked
)
people = Table(
    "people",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("languages", JSON, nullable=False),
    Column("token", Text, unique=True),  # the digest of the link; none: it was revoked
    Column("expires", Float, nullable=False),
)
sessions = Table(
    "sessions",
    metadata,
    Column("cookie", Text, primary_key=True),  # its digest
    Column("person", Text, ForeignKey("people.name"), nullable=False, index=True),
    Column("csrf", Text, nullable=False),
    Column("expires", Float, nullable=False),
)
claims = Table(
    "claims",
    metadata,
    Column("topic", Text, ForeignKey("units.topic"), primary_key=True),
    Column("person", Text, ForeignKey("people.name"), primary_key=True),
    Column("given", Float, nullable=False),  # when the person first got it
    Column("until", Float, nullable=False),  # After this time, somebody else gets the topic.
    Column("done", Integer, nullable=False),
)
Index("claims_person", claims.c.person, claims.c.done)
records = Table(
    "records",
    metadata,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("person", Text, ForeignKey("people.name"), nullable=False),
    Column("item", Text, ForeignKey("items.id"), nullable=False),
    Column("at", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Column("pool", Integer, nullable=False),
    Column("guidelines", Text, nullable=False),
    Column("received", Float, nullable=False),
    # The key of the texts that the person was shown (`texts_key`); empty if it is unknown, or if nothing was shown.
    Column("texts", Text, nullable=False, server_default=""),
)
Index("records_item", records.c.item, records.c.person)
