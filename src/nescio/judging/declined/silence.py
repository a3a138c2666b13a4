"""Count answers that read like an abstention but were taken for answers, and name the options that would count them as
unanswered."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from nescio.data.notes import Note, note
from nescio.errors import opt, shorten
from nescio.judging.declined.recognise import Verdict, declines, may_decline, passes
from nescio.text import is_nothing, literally

# the most characters read in full (half a second), and the least length that each text counts
_MOST_READ, _LEAST = 60_000, 20
_MOST_KEPT = 1 << 15  # the most texts that are kept
_LONGEST = 400
_TEXTS = 5  # the most texts in a note, which are also those that its proposed pattern matches
_AGAIN, _LONG = 3, 120  # a text repeated so often, of at most so many characters
_SHORT = 40  # the most characters of a text in a proposed pattern; longer ones are seldom repeated


class SilenceReader:
    """A reader that decides for one text after another whether the text declines.

    After many texts, it is `stopped` to save time: from then on it recognises only texts that always mean an
    abstention.
    """

    def __init__(self) -> None:
        self._left = _MOST_READ
        self.stopped = False
        self._known: dict[str, Verdict] = {}

    def silence(self, text: str) -> bool:
        """Return whether a text declines, such as "I don't know", "N/A", "nan" or "?"."""
        return self.verdict(text) is Verdict.DECLINED

    def verdict(self, text: str) -> Verdict:
        """Return whether a text answers, declines, or may do either (UNDETERMINED)."""
        text = text.strip()
        if len(text) > _LONGEST:
            return Verdict.ANSWERED
        known = self._known.get(text)
        if known is None:
            known = self._read(text)
            if len(self._known) < _MOST_KEPT:
                self._known[text] = known
        return known

    def _read(self, text: str) -> Verdict:
        at_sight = _at_sight(text)
        if at_sight is not None:
            return at_sight
        if self._left <= 0:
            self.stopped = True
            return Verdict.ANSWERED
        self._left -= max(len(text), _LEAST)
        return declines(text)


@lru_cache(maxsize=_MOST_KEPT)
def _at_sight(text: str) -> Verdict | None:
    """Return whether a text declines, if that is quickly seen; None if the text must be read closely.

    Results are cached, because several passes read each file.
    """
    if is_nothing(text) or passes(text):
        return Verdict.DECLINED
    return None if may_decline(text) else Verdict.ANSWERED


def undetermined_note(texts: Counter[str], then: str) -> Note:
    """Return a note on answers that were graded as wrong, but may decline.

    The note names the judge that leaves such answers ungraded, and otherwise uses the judge `then`.
    """
    return note(
        "judging.may_decline",
        "{answers:n answer} {answers:counts/count} as incorrect but may be {answers:a refusal/refusals}: "
        "{answers:its/their} words leave this open (first: {text}); {flag} leaves such answers ungraded",
        answers=texts.total(),
        text=shorten(next(iter(texts))),
        flag=opt("judge", f"declined(then={then})"),
    )


def silence_note(texts: Counter[str], reader: SilenceReader, *, subject: str = "", then: str = "") -> Note:
    """Return a note on wrong answers that read like an abstention, and on the options that count them as unanswered.

    `subject` names what the note is about. `then` is the judge, if nescio judged the answers itself.
    """
    forms = Counter[str]()
    for text, times in texts.items():
        forms[text.lower()] += times
    common = [form for form, times in forms.most_common() if len(form) <= (_SHORT if times < _AGAIN else _LONG)][
        :_TEXTS
    ]
    pattern = "|".join(literally(form) for form in common)
    others = len(forms) - len(common)
    of_them = f"{sum(forms[form] for form in common)} of them" if others and common else ""
    return note(
        "judging.reads_like_silence",
        "{whose}{least}{answers:n answer} {answers:reads/read} like an abstention and {answers:is/are} not counted as "
        "unanswered ({texts:each %s %d×}{more}); {flag} counts {counted} as unanswered{judge}",
        subject,
        whose=f"{subject}: " if subject else "",
        least="at least " if reader.stopped else "",
        answers=texts.total(),
        texts=[(shorten(text), times) for text, times in texts.most_common(_TEXTS)],
        more=f" and {len(texts) - _TEXTS} other texts" if len(texts) > _TEXTS else "",
        flag=opt("declined_pattern", pattern or None, of="" if pattern else "REGEX"),
        counted=of_them or ("it" if texts.total() == 1 else "them"),
        judge=f"; {opt('judge', f'declined(then={then})')} finds every answer that declines in words"
        if others and then
        else "",
    )
