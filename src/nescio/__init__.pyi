# Written by tools/stub.py from the verbs and types that nescio offers; a test holds it to them.

from nescio._version import __version__ as __version__
from nescio.data.evidence import Evidence as Evidence
from nescio.data.evidence import Tally as Tally
from nescio.data.model import Collection as Collection
from nescio.data.model import Question as Question
from nescio.data.model import Response as Response
from nescio.data.model import Run as Run
from nescio.data.results import Comparison as Comparison
from nescio.data.results import Comparisons as Comparisons
from nescio.data.results import Results as Results
from nescio.data.results import Score as Score
from nescio.data.results import Scores as Scores
from nescio.errors import FormatError as FormatError
from nescio.errors import MismatchError as MismatchError
from nescio.errors import MissingColumnError as MissingColumnError
from nescio.errors import NescioError as NescioError
from nescio.errors import UnknownNameError as UnknownNameError
from nescio.errors import UsageError as UsageError
from nescio.measures import Measure as Measure
from nescio.measures import parse as _parse
from nescio.selective import Tuned as Tuned
from nescio.selective import Tuning as Tuning
from nescio.sources.dataframes import from_dataframe as from_dataframe
from nescio.verbs import assess as assess
from nescio.verbs import ave as ave
from nescio.verbs import campaign as campaign
from nescio.verbs import lab as lab
from nescio.verbs import labels as labels
from nescio.verbs import meta as meta
from nescio.verbs import nuggets as nuggets
from nescio.verbs import read as read
from nescio.verbs._statistic import statistic as statistic
from nescio.verbs.audit import audit as audit
from nescio.verbs.check import check as check
from nescio.verbs.compare import compare as compare
from nescio.verbs.convert import convert as convert
from nescio.verbs.from_counts import from_counts as from_counts
from nescio.verbs.gate import gate as gate
from nescio.verbs.judge import judge as judge
from nescio.verbs.list_measures import list_measures as list_measures
from nescio.verbs.paper import paper as paper
from nescio.verbs.plan import plan as plan
from nescio.verbs.plan_labels import plan_labels as plan_labels
from nescio.verbs.plan_repeats import plan_repeats as plan_repeats
from nescio.verbs.report import report as report
from nescio.verbs.score import score as score
from nescio.verbs.sql import sql as sql
from nescio.verbs.tune import tune as tune

measure = _parse
__all__: list[str]
