"""English verbs and their forms, and the closed classes that the rules of hypotheses need; written for this project."""

from __future__ import annotations

import re
from functools import lru_cache

from nescio.text import word_set

# base, past, and the participle where it differs from the past
_IRREGULAR = """arise arose arisen; bear bore borne; beat beat beaten; become became become; begin began begun; bend bent; bet bet;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; broadcast broadcast;
build built; burst burst; buy bought; cast cast; catch caught; choose chose chosen; come came come; cost cost; creep crept; cut
cut; deal dealt; dig dug; do did done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen;
feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
freeze froze frozen; get got got; give gave given; go went gone; grow grew grown; hang hung; have had; hear heard; hide hid
hidden; hit hit; hold held; hurt hurt; keep kept; know knew known; lay laid; lead led; leave left; lend lent; let let; lie lay
lain; light lit; lose lost; make made; mean meant; meet met; overcome overcame overcome; overthrow overthrew overthrown; pay paid;
put put; quit quit; read read; rebuild rebuilt; ride rode ridden; ring rang rung; rise rose risen; run ran run; say said; see saw
seen; seek sought; sell sold; send sent; set set; shake shook shaken; shed shed; shoot shot; show showed shown; shrink shrank
shrunk; shut shut; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; split split;
spread spread; spring sprang sprung; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown; undergo
underwent undergone; understand understood; undertake undertook undertaken; wake woke woken; wear wore worn; weave wove woven; win
won; withdraw withdrew withdrawn; write wrote written"""

_REGULAR = word_set("""
abandon abolish absorb accept accompany accomplish account accuse achieve acknowledge acquire act adapt add address admit adopt
advance advise advocate affect agree aid aim air allow announce annex answer appeal appear apply appoint approach approve argue
arrange arrest arrive ask assassinate assemble assign assist associate assume attach attack attain attempt attend attract attribute
author avoid award ban base battle behave believe belong benefit bomb boost border borrow breathe burn bury call campaign capture
care carry cause cease celebrate centre challenge change charge chase check circulate claim classify clean climb close collapse
collect combine command commence comment commission commit compare compete complain complete compose comprise conceive concern
conclude conduct confirm conform connect conquer consider consist constitute construct consume contain continue contribute control
convert convince cook cooperate cool correspond cover crash create criticize criticise cross crown cultivate damage dance date
debut decide declare decline decorate decrease dedicate defeat defend define deliver demand demonstrate deny depart depend depict
deploy derive describe deserve design destroy detect determine develop devote die differ digest direct disagree disappear discover
discuss dislike display dispose dissolve distinguish distribute divide divorce dominate donate double draft dream dress drop earn
edit effect elect eliminate emerge emigrate employ enable encounter encourage end enforce engage enjoy enter establish estimate
evacuate evolve examine exceed exchange execute exercise exhibit exist expand expect experience explain explode exploit explore
export express extend extract face fail favor favour fear feature fill film finance finish fire fit fix flow follow force form
fortify found fund function gain gather generate get govern graduate grant guarantee guard guide happen harm hate head help
honor honour host house hunt identify ignore illustrate imagine immigrate import impose improve include increase indicate
influence inform inhabit inherit inspire install intend interact interpret introduce invade invent invest investigate invite
involve issue join judge jump justify kick kill label lack land last launch learn legalize lift like limit link list listen live
load locate look love maintain manage manufacture mark marry match matter measure mention merge migrate model monitor move murder
name need negotiate nominate note notice number obey object observe obtain occupy occur offer open operate oppose order organize
organise originate owe own participate pass perform permit persuade pick place plan plant play plead point possess possibly post
postpone practice practise praise predict prefer prepare present preserve press prevent proceed process produce prohibit promise
promote propose protect protest prove provide publish pull purchase pursue push qualify question raise range rank reach react
realize realise rebel receive recognize recognise recommend record recover recruit reduce refer reflect refuse regard regulate
reign reject relate release relieve relocate rely remain remember remove rename rent repair repeat replace reply report represent
request require rescue research resemble reside resign resist resolve respond rest restore restrict result retain retire retreat
return reveal review revolve reward rotate rule sail sample sanction save score search secrete secure seem seize select separate
serve settle share shift shout sign signal signify smell smoke solve sound specialize specify spell sponsor stage star start state
stay stem stop store strengthen stress stretch struggle study submit succeed suffer suggest supply support suppose surrender
surround survive suspect suspend symbolize talk target taste tax tend test thank threaten tie touch tour trace trade train transfer
transform translate transmit transport travel treat trigger triumph trust try turn unify unite urge use value vary view violate
visit vote wait walk want warn wash watch weigh welcome widen wish work worry worship yield arm accumulate escort ally air
abuse accelerate achieve activate adjust advertise alter analyze analyse anchor appease apologize archive arouse ascend assert assault
assess assure attest attribute avenge await bar bargain bless block board boil bother bounce bow branch brand broaden bully capitalize
cater characterize cheat cite clarify coin colonize commemorate compensate compile complement conceal concentrate condemn confess
confine confront contact contest contract contrast converge cope copy count couple crack crush cure dare debate deem defy delay
delegate demolish denounce derail descend detain deteriorate differentiate diminish dip disband discharge discipline discourage
dismiss dispatch displace disrupt dissolve disturb dominate dread drown duel dwell echo educate elaborate elevate embark embrace emit
emphasize enact encompass endanger endorse endure enlarge enlist ensure entail entertain envision equal erect erode erupt escape
exclude exert exile expel fade fail ferment flee flourish forge formulate fulfil fulfill gaze glow grab greet grind grip harvest heal
hesitate hire hold hurry ignite impact implement imply imprison incorporate inflict inhabit initiate injure insist inspect integrate
intervene invite irritate jail knock lecture lessen levy liberate litigate lobby lock lower mail manifest marvel master mate mature
mediate migrate mine mirror mix mobilize mount multiply nest nurture obligate occur officiate oversee pack paint park pass patent
patrol pave penetrate perish persist pertain pilot pioneer pitch plead pledge plunder poison populate portray pose pray preach precede
predate preside presume pretend print prioritize privatize probe progress prolong propel prosecute prosper provoke punish purify
quote rally react rebuild recall recite reconstruct reconsider redirect rediscover reform regain register reinforce renew renounce
repeal repel reproduce rescind reserve reshape restart resume retrieve revive revolt ride roam rob sacrifice saturate scan scatter
schedule seal sense sentence shape shelter ship shock shrink skip slaughter slip slow smuggle spark spin spot stabilize stare steer
stimulate strip structure subdue subsidize substitute subtract sue summon supervise surpass surrender swear switch tackle tempt handle hire sentence dub spare consult fund
terminate testify thrive thrust tolerate topple torture touch tow track transition trap trick triple undermine unveil update upgrade
uphold utilize vacate vanish venture vow warm waste water weaken witness wonder wound wrap
""")
# of the above, words that are nouns at least as often: a verb beside them is more likely the verb
NOUNS_TOO = word_set("""
act address aid aim air answer appeal arm attack attempt author award ban base battle benefit border bomb cast campaign care cause
centre challenge change charge check claim command comment commission concern control cost cover cut dance date deal debut decline
decrease demand design display draft dream drop effect end exercise experience export face fear feature film fire fit flow force
form fund function gain guard guide head help host house import increase influence issue judge label lack land launch lead light
limit link list load look love mark match matter measure model move murder name need note number object offer order pass place plan
plant play point post practice present press process promise protest question race range rank record release report request
research rest result return review reward rule sail sample sanction score search share shift sign signal sound stage star start
state stem stop store stress struggle study supply support target taste tax test tie touch tour trace trade train transfer travel
treat trust turn use value view visit vote walk wash watch wish work worry worship yield set split spread show run ring rise
""")

BE = word_set("is are was were am")
HAVE = word_set("has have had")
DO = word_set("do does did don't doesn't didn't")
MODALS = word_set("can could will would shall should may might must can't couldn't won't wouldn't shouldn't")
AUXILIARIES = BE | HAVE | DO | MODALS
DETERMINERS = word_set(
    "the a an this that these those his her its their my your our some any all both each every no another many most several few other"
)
PRONOUNS = word_set("he she it they we you i someone people everyone anyone there")
PREPOSITIONS = word_set("""
in on at of to from by for with about into over after before between under during through against among as toward towards within
without upon across along around behind beside beyond despite inside near outside since until off out up down like than via onto
following according throughout
""")
CONJUNCTIONS = word_set(
    "and or but that which who when while if because where so whose although though as until after before"
)
ADJECTIVES = word_set("""
available different similar equal responsible famous known able unable important necessary possible common popular present absent
dangerous safe illegal legal independent dependent due free full good bad useful rich poor common visible native close near far
worth like unlike related open closed active successful guilty aware afraid proud angry happy sad prone susceptible suitable
""")
MEASURED = word_set("old tall high long wide deep thick heavy broad tall short")
DEGREES = word_set(
    "big large far fast hot cold old tall high long wide deep thick heavy loud small strong successful quickly often"
)
TIMES = word_set("year month century decade day date season week years time era period days dates")


def _pairs() -> list[list[str]]:
    return [entry.split() for entry in _IRREGULAR.replace("\n", " ").split(";")]


@lru_cache(maxsize=1)
def _past() -> dict[str, str]:
    return {base: past for base, past, *_ in _pairs()}


@lru_cache(maxsize=1)
def _participles() -> frozenset[str]:
    return frozenset(forms[-1] for forms in _pairs()) | word_set("born stuck")


@lru_cache(maxsize=1)
def _finite() -> frozenset[str]:
    """Past forms and the third persons of all verbs that are listed."""
    bases = {*_past(), *_REGULAR}
    return frozenset({*_past().values(), *map(past, _REGULAR), *map(third_person, bases)})


def is_base(word: str) -> bool:
    """Whether a lower-case word can be the base form of a verb."""
    return word in _REGULAR or word in _past() or bool(re.fullmatch(r"\w{3,}(?:ify|ize|ise)", word))


def is_participle(word: str) -> bool:
    """Whether a lower-case word can be a past participle."""
    return (word in _participles() and word not in ("set", "cost", "cast", "cut", "split")) or (
        len(word) > 4 and word.endswith("ed") and word not in ("hundred", "indeed", "united", "speed", "breed")
    )


def is_finite(word: str) -> bool:
    """Whether a lower-case word can be a finite verb that is no base form."""
    return word in AUXILIARIES or word in _finite() or (len(word) > 4 and word.endswith("ed"))


def past(base: str) -> str:
    """Return the past tense of a verb."""
    if base in _past():
        return _past()[base]
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base) or base in (
        "commit",
        "permit",
        "admit",
        "submit",
        "refer",
        "prefer",
        "occur",
        "transfer",
        "transmit",
        "rebel",
        "control",
        "ban",
        "equip",
    ):
        return base + base[-1] + "ed"
    return base + "ed"


def third_person(base: str) -> str:
    """Return the third person singular of the present."""
    if base == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def plural(word: str) -> str:
    """Return the plural of a finite verb, any other word as it is."""
    return {"is": "are", "was": "were", "has": "have", "does": "do"}.get(word) or _bases().get(word, word)


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    return {third_person(base): base for base in (*_past(), *_REGULAR)}
