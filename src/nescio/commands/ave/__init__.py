"""Answer validation: collections from the answers of QA systems, validators and their scores, as `nescio ave`.

nescio.ave.build(["questions.jsonl", "runs/mine.jsonl", "runs/old.jsonl"], "collection.xml", judgements="judged.csv")
nescio.ave.score(["collection.xml", "validator.txt"], ranking=["outcomes.csv"])
nescio.ave.validate.train("dev.xml", "model.json")
"""

from nescio.commands.ave import validate
from nescio.commands.ave.building import build
from nescio.commands.ave.pairs import pairs
from nescio.commands.ave.scoring import baselines, score
from nescio.commands.ave.techniques import table12

__all__ = ["baselines", "build", "pairs", "score", "table12", "validate"]
