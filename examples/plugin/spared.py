"""Ask how many errors of another run a run spares its users by saying nothing.

FILES hold the answers of at least two runs to the same questions.

\b
nescio lab spared outcomes.csv --plugin spared.py --baseline old

"spared" is the share of the baseline's errors on which the run is silent, less the same turned round. The test
exchanges the two labels on each question.
"""

from nescio import statistic


def questions(run, baseline):
    return {
        "theirs": baseline.incorrect,
        "ours": run.incorrect,
        "spared": baseline.incorrect * run.unanswered,
        "back": run.incorrect * baseline.unanswered,
    }


@statistic(
    each=questions,
    needs="incorrect unanswered",
    columns={"errors": (lambda total: total.theirs, "count", "errors of the baseline")},
    form="signed",
    null=0,
    bounds=(-1, 1),
    sentence="spared: the share of the baseline's errors on which the run is silent, less the same turned round.",
)
def spared(total):
    return total.spared / total.theirs - total.back / total.ours
