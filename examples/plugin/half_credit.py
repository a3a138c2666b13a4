"""A measure: half a point for silence."""

from nescio.measures import measure


@measure("half_credit", needs="correct unanswered n", bounds=(0, 1), source="My course, 2026")
def half_credit(total):
    """Points per question where a right answer earns one and silence half of one: $(C + U/2)/n$."""
    return (total.correct + total.unanswered / 2) / total.n
