"""simple-evals: the report page of an evaluation (`<eval>_<model>.html`), and the figures beside it
(`<eval>_<model>.json`).

Only the page holds the answers: a conversation, the sampled message, and below it the correct answer, the extracted one
and a score. A run is a model, its evaluations are a stratum, and a question is identified by its prompt. An answer from
which nothing was extracted counts as incorrect (`--unparsed`). The page of SimpleQA has a score but no grade, so an
answer that was not attempted looks wrong there; a note says how many of them the figures count. The figures hold no
answers: they are checked against the page if both are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.data.outcomes import SAID_SO
from nescio.data.reasons import NO_FORM
from nescio.data.texts import texts_of
from nescio.errors import FormatError, offer, opt
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import SCORE, compared, number, place, run_names
from nescio.formats.logs.metrics import Marked, by_metric, question_name
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import first_line
from nescio.sources.source import Source, own_path

if TYPE_CHECKING:
    from lxml.html import HtmlElement

EVALUATIONS = (
    "simpleqa mmlu math gpqa mgsm drop humaneval browsecomp healthbench_hard healthbench_consensus healthbench"
)
_NAME = re.compile(rf"({'|'.join(EVALUATIONS.split())})_(.+)", re.DOTALL)
_MARKS = ("<h1>Examples</h1>", "<h3>Prompt conversation</h3>", ".message.assistant")
_PEEK = 1 << 16
_NOT_ATTEMPTED = "is_not_attempted"


def recognise(source: Source) -> str | None:
    """Recognise an HTML page with the headings `Metrics`, `Examples` or `Prompt conversation` of a report; or a
    document of figures, `score` and `score:std`."""
    if source.kind == "document":
        return "figures" if {SCORE, f"{SCORE}:std"} <= {*source.columns} else None
    if source.kind != "text" or source.path is None or not str(source.first).lower().startswith("<!doctype html"):
        return None
    with source.path.open(encoding="utf-8-sig", errors="replace") as file:
        head = file.read(_PEEK)
    return "page" if _MARKS[2] in head and ("<h1>Metrics</h1>" in head or _MARKS[1] in head) else None


@reader(
    "simple_evals",
    about="a report page of simple-evals (.html), with or without the figures beside it (.json)",
    recognise=recognise,
    sniff_keys={"text": (), **dict.fromkeys(("object", "list"), (SCORE,))},
    files=tuple(f"{name}_*.{suffix}" for name in EVALUATIONS.split() for suffix in ("html", "json")),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every page; those of one model are one run."""
    notes: list[Note] = []
    pages = [source for part, source in parts if part == "page"]
    figures = {_key(source): source for part, source in parts if part == "figures"}
    if not pages:
        raise FormatError(parts[0][1].label, _why_figures_alone(parts[0][1]))
    called = {source.label: _called(source) for source in pages}
    several = len({task for task, _ in called.values()}) > 1
    again = len({*called.values()}) < len(called)
    apart = run_names(
        [(called[s.label][1] if not again else s.stem, place(Path(s.label))) for s in pages] if again else []
    )
    answers: list[Marked] = []
    for i, source in enumerate(pages):
        task, model = called[source.label]
        run = apart[i] if again else model
        page = _page(source)
        if not page.items:
            raise FormatError(source.label, "there are no examples in it: the page holds only figures")
        answers += [_answer(item, source, run, task if several else "", options) for item in page.items]
        held = figures.get(_key(source))
        known = {str(k): number(v) for k, v in held.document.items()} if held else page.figures
        notes += _against_figures(page.items, known, source)
    return by_metric(answers, pages[0].label, options, notes, keep=("task",))


def _key(source: Source) -> tuple[Path, str]:
    path = Path(source.label)
    return own_path(path).parent, source.stem


def _called(source: Source) -> tuple[str, str]:
    """Return the evaluation and the model that the name of a file says."""
    match = _NAME.fullmatch(source.stem)
    return (match[1], match[2]) if match else ("", source.stem)


def _why_figures_alone(source: Source) -> str:
    score = number(source.document.get(SCORE))
    shown = "" if score is None else f" (score {score:g})"
    return (
        f"it holds figures{shown} and no answers: those are in the page beside it, {source.stem}.html, which "
        f"simple-evals writes at the same time{offer('beside', f'{source.stem}.html')}"
    )


# ---- the page ----


class Item(Struct, frozen=True):
    """One example of a page: its prompt, what was sampled and extracted, its score, and what is right (None where there
    is none)."""

    prompt: str
    sampled: str
    extracted: str | None
    score: float | None
    where: str
    right: str | None = None


class Page(Struct, frozen=True):
    """The examples of a page, and the figures in its table."""

    items: list[Item]
    figures: Mapping[str, float | None]


def _page(source: Source) -> Page:
    from lxml import etree, html

    assert source.path is not None
    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=False, no_network=True)
        root = html.parse(str(source.path.absolute()), parser).getroot()
    except (etree.LxmlError, OSError, AssertionError) as error:
        raise FormatError(source.label, f"not a readable page: {first_line(error)}") from None
    body = root.find("body") if root is not None else None
    if body is None:
        raise FormatError(source.label, "there is no body in this page")
    return Page(list(_items(body)), _figures(body))


def _items(body: HtmlElement) -> Iterator[Item]:
    """Yield the examples: each begins with its prompt conversation and ends before the next, or with the page."""
    at = ""
    prompts: list[str] = []
    sampled: list[str] = []
    fields: dict[str, str] = {}
    begun = 0

    def item() -> Item:
        extracted = fields.get("Extracted Answer")
        where = f"example {begun}"
        return Item(
            prompts[-1] if prompts else "",
            "\n".join(sampled),
            extracted,
            _score(fields.get("Score")),
            where,
            fields.get("Correct Answer"),
        )

    for element in body:
        text = _text(element)
        if element.tag == "h3":
            at = text
            if at == "Prompt conversation":
                if begun:
                    yield item()
                begun += 1
                prompts, sampled, fields = [], [], {}
        elif element.tag == "div" and begun:
            content = next((_text(part) for part in element.iter("pre")), text)
            (sampled if at == "Sampled message" else prompts).append(content)
        elif element.tag == "p" and at == "Results" and begun:
            name, colon, value = text.partition(":")
            if colon and name.strip() in ("Correct Answer", "Extracted Answer", "Score"):
                fields.setdefault(name.strip(), value.strip())
    if begun:
        yield item()


def _text(element: HtmlElement) -> str:
    return "".join(element.itertext()).strip() if isinstance(element.tag, str) else ""


def _score(text: str | None) -> float | None:
    """Return the number that a score says; true and false are 1 and 0."""
    return {"true": 1.0, "false": 0.0}.get(text.lower(), number(text)) if text else None


def _figures(body: HtmlElement) -> dict[str, float | None]:
    """Return the figures of the table at the top of a page."""
    figures: dict[str, float | None] = {}
    for row in body.iter("tr"):
        cells = [_text(cell) for cell in row.iter("td")]
        if len(cells) == 2:
            figures.setdefault(cells[0].lower() if cells[0] == "Score" else cells[0], number(cells[1]))
    return figures


def _answer(item: Item, source: Source, run: str, task: str, options: ReadOptions) -> Marked:
    if not item.prompt:
        raise FormatError(source.label, "an example must have a prompt", where=item.where)
    name = question_name(item.prompt)
    graded = Graded(
        run,
        f"{task}/{name}" if task else name,
        0,
        strata={"task": task} if task else {},
        where=item.where,
        path=source.label,
        texts=texts_of(item.prompt, [item.right], item.sampled, item.extracted) if options.texts else None,
    )
    silent = None
    if any(declined(options, text) for text in (item.sampled, item.extracted)):
        silent = SAID_SO
    elif item.extracted is not None and item.extracted.lower() in ("", "none"):
        silent = NO_FORM
    score = float("nan") if item.score is None else item.score
    return Marked(graded, {SCORE: score}, silent, task=task)


def _against_figures(items: Sequence[Item], figures: Mapping[str, float | None], source: Source) -> Iterator[Note]:
    """Note where the tool's own score is another, and how many answers it counts as not attempted, which the page does
    not say of any."""
    scores = [item.score for item in items if item.score is not None]
    yield from compared(figures.get(SCORE), None, scores, SCORE, source.name, rounding=_ROUNDED)
    silent = figures.get(_NOT_ATTEMPTED)
    if silent:
        yield note(
            "simple_evals.not_attempted",
            "{subject}: its figures count {count:g} of {total} answers as not attempted, and the page does not say "
            f"which: they count as wrong here ({opt('declined_pattern')} names the words of such an answer)",
            source.name,
            count=round(silent * len(items)),
            total=len(items),
        )


_ROUNDED = 5e-4  # a page shows three decimals
