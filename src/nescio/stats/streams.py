"""Number the random streams: each use of a seed has its own stream, so that no two uses share a draw.

A number never changes, because it determines the results of a seed. A new use gets a new number.
"""

from enum import IntEnum, unique


@unique
class Stream(IntEnum):
    """The purpose of a stream of random draws; draws for different purposes are independent."""

    INTERVALS = 0
    LABEL_SWAPS = 1
    SUBCOLLECTIONS = 2
    TUKEY = 3
    POWER = 5
    TUNING_FOLDS = 6
    PLANNING = 7
    AUDIT = 8
    VALIDATOR_FOLDS = 9
    JUDGE_AGREEMENT = 10
    RANDOM_SELECTION = 11
    RANDOM_READER = 13
    ASSESSORS = 14
    SUITES = 15
    MAGNITUDES = 21
    ARRIVAL = 20
    TRUE_VALUES = 22
    STAKES = 23
    PARAPHRASES = 41
    LABELS = 50
    NEXT_SAMPLE = 51
    FLIPS = 52
    STATISTICS = 61
