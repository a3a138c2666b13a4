"""Lists for the recogniser in `entities.py`: first names, places, and words that suggest a person, a place or a time.

The lists are short: they have words that are common in English and Canadian news for children. Other names may still be
recognised by the words around them.
"""

from nescio.tasks.word_lists import word_lists
from nescio.text import word_set

_LISTS = word_lists(__file__)

FIRST_NAMES = word_set(_LISTS["first_names"])

WOMEN = word_set(_LISTS["women"])
_EITHER = word_set("alex chris frances francis jamie jean jessie kelly kim lee leslie pat robin sam willie")
MEN = (FIRST_NAMES - WOMEN - _EITHER) | word_set(
    "mr sir lord king prince man boy father brother uncle grandpa grandfather son husband bishop pope actor"
)

TITLES = word_set(_LISTS["titles"])

SPEAKS = word_set("says said say adds added explains explained told tells asked asks thinks believes agrees")

PLACES = word_set(_LISTS["places"])
PLACES_OF_TWO = frozenset(_LISTS["of_two"].replace("\n", "|").split("|"))
PLACE_WORDS = word_set(_LISTS["place_words"])

# capitalised words that distinguish an organisation, an event or a work from a person
NOT_PERSONS = word_set(_LISTS["not_persons"])

MONTHS = word_set("january february march april may june july august september october november december")
DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
# capitalised words that name no person, place or time
NO_NAMES = MONTHS | DAYS | word_set("i english french canadian american british christmas easter god internet")
