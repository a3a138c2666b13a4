"""Check runs against the topics of a campaign, and report all faults of all files at once; no key is needed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.signature import sign
from nescio.errors import UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns import pages
from nescio.people.campaigns.archives import PACKING, handed_in_files, opened, zipped
from nescio.people.campaigns.faults import Fault, Faults
from nescio.people.campaigns.folder import TOPICS, open_campaign
from nescio.people.campaigns.runs import FORMS, Submission, doubted, examine, run_name
from nescio.people.campaigns.settings import Settings
from nescio.people.campaigns.topics import Topics
from nescio.reporting.terminal import VERBOSE
from nescio.sources.limits import most_unpacked
from nescio.sources.temporary import temporary_folder
from nescio.sources.writing import write_text
from nescio.stats.parallel import followed, split_progress
from nescio.text import answer_key, plural

FEW = 5  # faults of one rule in one file that the text lists


class CheckedRun(Struct, frozen=True):
    """The row of one checked run: its name and file, the number of topics answered, and the number of faults."""

    file: str
    run: str
    language: str
    answered: int
    topics: int
    faults: int


class Checked(Faults, frozen=True):
    """The result of `check`: the faults of all files. `tables["files"]` has a row for each file."""

    def __str__(self) -> str:
        lines = []
        for row in self.tables["files"]:
            summary = f"{row.answered} of {row.topics} answered" if row.topics else "not readable as a run"
            state = plural(row.faults, "fault") if row.faults else "sound"
            lines.append(f"{row.file}: {state} ({summary}{f', {row.language}' if row.language else ''})")
            lines += [f"  {line}" for line in _shortened([fault for fault in self.rows if fault.file == row.file])]
        counts = [row.faults for row in self.tables["files"] if row.faults]
        runs = plural(len(self.tables["files"]), "run")
        outcome = f"{plural(sum(counts), 'fault')} in {plural(len(counts), 'run')}" if counts else "no faults"
        return "\n".join([*lines, f"{runs}: {outcome}"])


def _shortened(faults: Sequence[Fault]) -> Iterator[str]:
    """Yield the faults of a file as lines of text.

    If a rule is broken many times, only the first faults have a line each, and one line counts the others.
    """
    seen: dict[str, list[Fault]] = {}
    for fault in faults:
        seen.setdefault(fault.rule, []).append(fault)
    for fault in faults:
        alike = seen[fault.rule]
        place = alike.index(fault)
        if VERBOSE.get() or len(alike) <= FEW or place < FEW:
            yield fault_line(fault)
        elif place == FEW:
            more = len(alike) - FEW
            lines = f"lines {fault.line} to {alike[-1].line}"
            yield f"{lines}: this fault {more} more times (-v, JSON and the page list these)"


def fault_line(fault: Fault, longest: int = 120) -> str:
    """Return the line, the rule and the value of a fault as one text; the value has at most `longest` characters."""
    place = f"line {fault.line}: " if fault.line else ""
    value = fault.value if fault.value is None or len(fault.value) <= longest else f"{fault.value[:longest]}…"
    return f"{place}{fault.rule}" + (f" (found {value})" if value else "")


def check(
    campaign: Path | str,
    runs: Sequence[Path | str],
    *,
    page: Path | str | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Find all faults of all runs at once, each with its file, line and rule; no key is needed.

    `campaign` is the folder of a campaign, the folder of its handout, or the archive from `nescio campaign checker`.
    `runs` are files, or folders of files. A topic without an answer is a fault. `page` names a file (.html) to write
    with the same faults, for a team. `progress` is called with the number of files checked; reading a file and checking
    its answers count half each. Raises UsageError if there are no topics or no runs.
    """
    given = {Path(run): handed_in_files(Path(run)) if Path(run).is_dir() else [Path(run)] for run in runs}
    files = [path for paths in given.values() for path in paths]
    if not files:
        raise UsageError("there is no run to check; name the files of runs, or folders that hold them")
    reading, looking = split_progress(progress)
    with topics_of(Path(campaign)) as (settings, topics):
        submissions = [
            submission for path in followed(files, reading) for submission in _submissions(path, topics, settings)
        ]
    name = settings.name
    checked = checked_runs(settings, topics, [*_same_name(submissions)], looking)
    checked = replace(checked, notes=(*checked.notes, *empty([path for path, paths in given.items() if not paths])))
    if page is not None:
        path = Path(page)
        if path.suffix not in (".html", ".htm"):
            raise UsageError(f"{path}: a page is written to .html (found {path.suffix!r})")
        write_text(path, pages.faults_page(name, checked.tables["files"], checked.rows))
    return checked


def _submissions(path: Path, topics: Topics, settings: Settings) -> Iterator[Submission]:
    """Yield the run in the file `path`, with its faults; if `path` is an archive, yield each run in the archive.

    As in `intake`, an archive that cannot be opened counts as one run with a fault.
    """
    if path.suffix.lower() not in PACKING and path.is_file() and not path.is_symlink():
        yield examine(path, topics, settings)
        return
    held, why = opened(path, settings.most_bytes)
    if why:
        yield Submission(path, run_name(path.name), "", (Fault(str(path), None, why),))
    for name, content in held:
        with temporary_folder() as folder:
            inner = folder / path.absolute().parent.name / PurePosixPath(name).name
            inner.parent.mkdir(exist_ok=True)
            inner.write_bytes(content)
            label = path if name == path.stem else path / name
            submission = examine(inner, topics, settings, label=str(label))
        yield replace(submission, path=label)


def empty(folders: Sequence[Path]) -> Iterator[Note]:
    """Yield a note on each folder in `folders`, to say that the folder holds no file."""
    for folder in folders:
        yield note("campaign.empty_folder", "{subject} holds no file", str(folder))


def _same_name(submissions: Sequence[Submission]) -> Iterator[Submission]:
    """Yield the runs of one check; a run gets a fault if it has the same name as an earlier run."""
    first: dict[str, Path] = {}
    for submission in submissions:
        before = first.setdefault(submission.name.casefold(), submission.path)
        if before is submission.path:
            yield submission
        else:
            rule = f"{before} has the same run name; rename one of the two runs"
            fault = Fault(str(submission.path), None, rule, submission.name)
            yield replace(submission, faults=(*submission.faults, fault))


def remarks(submission: Submission, topics: Topics, settings: Settings) -> Iterator[Note]:
    """Yield notes on what may not be as a group meant it: fields that are not read, answers like "I don't know" to
    questions without options, letters that are texts of options, confidences that are perhaps in decisions, and answers
    that nobody will judge."""
    if submission.unread:
        yield note(
            "campaign.unread",
            "{subject}: the run has fields that nescio does not read: {names:and 3}; a run of {task} is {form}",
            str(submission.path),
            names=submission.unread,
            task=topics.task,
            form=FORMS[topics.task],
        )
    if topics.task == "ave":
        yield from doubted(str(submission.path), submission.said or ())
    if topics.task not in ("qa", "reading"):
        return
    from nescio.judging.declined.recognise import declines
    from nescio.people.campaigns.keyed import key_judge
    from nescio.people.campaigns.ranked_answers import reads_lower_ranks

    questions = [question for part in topics.parts.values() for question in part.questions.values()]
    ranked = [] if key_judge(settings, questions) else list(filter(reads_lower_ranks, settings.measures))
    lower = [response.rank for response in submission.said or () if response.rank > settings.depth]
    if ranked and lower:
        yield note(
            "campaign.below_depth",
            "{subject}: {count:n answer} {count:is/are} below rank {depth}, the last that people judge, and "
            "{measures:and 3} must have a verdict at every rank; leave these answers out, or ask the "
            "organisers to set depth = {deepest}",
            str(submission.path),
            count=len(lower),
            depth=settings.depth,
            measures=ranked,
            deepest=max(lower),
        )
    if submission.letters:
        yield note(
            "campaign.letters",
            "{subject}: {count:n answer} {count:is/are} the text of one option and the letter of another "
            "({texts:list 3}): nescio reads the text",
            str(submission.path),
            count=len(submission.letters),
            texts=list(dict.fromkeys(submission.letters)),
        )
    chosen = {q.id for part in topics.parts.values() for q in part.questions.values() if q.options}
    responses = [
        response for response in submission.said or () if response.answered and response.question_id not in chosen
    ]
    texts = [response.answer for response in responses if answer_key(response.answer or "")]  # an empty text is a fault
    alike = [answer for answer in texts if declines(answer) != "answered"]
    if alike:
        yield note(
            "campaign.like_silence",
            "{subject}: {count:n answer} {count:reads/read} like an abstention ({texts:list 3}); to abstain, make the "
            "answer null",
            str(submission.path),
            count=len(alike),
            texts=list(dict.fromkeys(alike)),
        )


def checked_runs(
    settings: Settings, topics: Topics, submissions: Sequence[Submission], progress: Progress | None = None
) -> Checked:
    """Return the result of a check of several runs: their faults, a row for each file, and notes on their answers."""
    rows = tuple(fault for submission in submissions for fault in submission.listed)
    files = tuple(CheckedRun(str(s.path), s.name, s.language, s.answered, s.of, s.count) for s in submissions)
    notes = (
        [note("campaign.form", "a run of {task} is {form}", task=topics.task, form=FORMS[topics.task])] if rows else []
    )
    notes += [
        remark for submission in followed(submissions, progress) for remark in remarks(submission, topics, settings)
    ]
    line = sign(campaign="check", name=settings.name, task=topics.task, topics=topics.count)
    return Checked(rows, line, tuple(notes), "faults", {"files": files})


@contextmanager
def topics_of(place: Path) -> Iterator[tuple[Settings, Topics]]:
    """Yield the settings and the topics of a campaign.

    `place` is the folder of the campaign, the folder of its handout, or the archive of a handout.
    """
    if place.is_dir():
        campaign = open_campaign(place)
        yield campaign.settings, campaign.topics()
        return
    if not zipfile.is_zipfile(place):
        raise UsageError(
            f"{place} is not a campaign; name its folder, the folder of its handout, or the archive that "
            "nescio campaign checker wrote"
        )
    with temporary_folder() as folder:
        (folder / TOPICS).mkdir()
        for name, content in zipped(place, most_unpacked(place.stat().st_size)):
            parts = Path(name).parts
            if len(parts) >= 2 and parts[-2] == TOPICS:
                (folder / TOPICS / parts[-1]).write_bytes(content)
            elif parts[-1:] == ("campaign.toml",):
                (folder / "campaign.toml").write_bytes(content)
        campaign = open_campaign(folder)
        yield campaign.settings, campaign.topics()
