"""A small lexicon of English, written for this project: irregular forms, peoples, synonyms, opposites and function
words.

It is no WordNet: everyday words, so that a validator without any resource still sees that *began* is *begin*
and that *east* is not *west*.
"""

from __future__ import annotations

from functools import lru_cache

from nescio.text import stem, word_set

# base past participle: what no stemmer brings together
_IRREGULAR = """arise arose arisen; bear bore born borne; beat beaten; become became; begin began begun; bind bound; bite bit
bitten; blow blew blown; break broke broken; bring brought; build built; buy bought; catch caught; choose chose chosen; come
came; cut cut; deal dealt; dig dug; do did done does; draw drew drawn; drive drove driven; eat ate eaten; fall fell fallen;
feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
freeze froze frozen; get got gotten; give gave given; go went gone goes; grow grew grown; hang hung; have had has; hear
heard; hide hid hidden; hold held; keep kept; know knew known; lay laid; lead led; leave left; lend lent; lie lay lain;
light lit; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran;
say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken; shoot shot; show shown; shrink shrank shrunk;
sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent; spring sprang sprung; stand stood;
steal stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; take took taken; teach
taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn;
win won; write wrote written; man men; woman women; child children; person people persons; foot feet; tooth teeth; mouse
mice; goose geese; life lives; leaf leaves; half halves; wife wives; good better best; bad worse worst; far further farther
furthest farthest; century centuries; die died dying; lie lying; analysis analyses; crisis crises; thesis theses; phenomenon
phenomena; bacterium bacteria; medium media; datum data; criterion criteria"""

_PEOPLES = """france french frenchman frenchmen; britain british briton; england english englishman; scotland scottish scots scot;
wales welsh; ireland irish; germany german; poland polish pole; spain spanish spaniard; portugal portuguese; italy italian;
netherlands dutch holland; belgium belgian; switzerland swiss; sweden swedish swede; norway norwegian; denmark danish dane;
finland finnish finn; russia russian; ukraine ukrainian; greece greek; turkey turkish turk; hungary hungarian; austria
austrian; china chinese; japan japanese; korea korean; mongolia mongol mongolian; vietnam vietnamese; india indian; persia
persian; iran iranian; iraq iraqi; egypt egyptian; israel israeli; arabia arab arabic; america american usa; canada canadian;
mexico mexican; brazil brazilian; africa african; europe european; asia asian; rome roman; normandy norman; islam islamic
muslim; christianity christian; protestantism protestant; judaism jewish jew; australia australian"""

_SYNONYMS = """begin start commence initiate launch open; end finish stop cease conclude terminate close; build construct erect;
found establish create form institute set; make produce manufacture create generate; big large huge great major; small
little minor tiny; kill murder slay execute; die death perish deceased; die dead; war conflict; fight battle combat; buy
purchase acquire; get obtain receive gain acquire; give grant provide supply offer; help aid assist support; use utilize employ
usage; show demonstrate display exhibit; tell say state report claim; name call title term know; call dub refer; kind type sort
form category; part portion section component piece element; amount number quantity level; increase rise grow expand growth;
decrease decline fall drop reduce lower; important significant key crucial main; main primary principal chief major; quick fast
rapid; job occupation profession work; leader head chief ruler; king monarch emperor ruler; child kid son daughter; mother
parent; father parent; doctor physician; law legislation act statute; city town; country nation state; area region territory
zone; place location site; live reside inhabit dwell; resident inhabitant citizen; move relocate migrate; emigrate flee leave;
cause lead result reason; because due reason; goal aim purpose objective; want wish desire; let allow permit enable; ban
prohibit forbid outlaw; beat defeat conquer; win victory; lose defeat loss; attack assault raid invade invasion; protect defend
guard; destroy demolish ruin; damage harm hurt injure; happen occur take; change alter modify; old ancient; new recent modern;
rich wealthy; poor impoverished; sick ill; illness disease sickness; book volume work; writer author; write compose author; find
discover locate; think believe consider; hold keep maintain; include contain comprise consist; need require; join unite merge;
divide split separate; send dispatch; take seize capture; choose select pick elect; vote election; often frequently; usually
normally typically generally; nearly almost about approximately; near close; year annual yearly; money fund cash; cost price
expense; pay salary wage; school college university; student pupil; teach instruct educate; company firm corporation business;
trade commerce; ship boat vessel; car automobile vehicle; plane aircraft; train railway railroad; road street; film movie;
picture image; music song; speak talk; language tongue; religion faith; church chapel; god deity; army military troop force;
soldier troop; weapon arm; oil petroleum; energy power; heat warmth; speed velocity; mass weight; length long; high height;
wide width; deep depth; strong strength; hard difficult; easy simple; right correct; wrong incorrect; idea concept notion;
theory hypothesis; method way technique approach; problem issue; answer solution; question query; famous notable known;
inventor invent; designer design; owner own; worker labor employee; enemy foe; friend ally; agreement treaty pact; border
boundary frontier; locate situate lie lay place position; able can capable; sign ratify; agree consent accept; refuse reject decline
deny; argue claim contend assert maintain; suggest propose; order command decree; rule govern reign control dominate; ruler
leader king; appoint name assign; serve work act; resign retire quit; arrive reach come land; depart leave withdraw; return
retreat; advance progress; besiege siege surround; surrender capitulate; revolt rebellion uprising insurrection; riot unrest;
slave bondage; free liberate independent; freedom liberty independence; right privilege; duty obligation responsibility;
power authority control; member participant; party faction; parliament legislature assembly congress senate; court tribunal;
judge justice; crime offense; punish penalize; prison jail; police constabulary; tax levy duty; debt loan; bank lender; profit
gain; wealth fortune; market trade; sell export; price cost value; factory plant mill; engine motor; machine device apparatus;
tool instrument; metal iron steel; stone rock; wood timber; water river lake sea; ocean sea; mountain hill peak; valley
basin; forest woods; field meadow; park garden; house home residence dwelling; palace castle; wall fortification; fort fortress
stronghold; bridge crossing; harbor port harbour; village settlement town; colony settlement; settle colonize; settler colonist;
suburb district neighborhood borough; capital seat; center centre middle; headquarters base; founder creator; discovery finding;
research study investigate investigation; scientist researcher; experiment test trial; proof evidence demonstrate prove; measure
quantify; calculate compute; equal same identical; similar alike resemble; differ vary differ; opposite contrary; variety range
diversity; group band team; pair couple; majority most; minority; total sum whole; rate ratio proportion percentage percent
share; average mean; limit restrict cap; exceed surpass; contribute add; affect influence impact effect; impact consequence
effect result; occur arise; appear emerge; vanish disappear; remain stay; survive last; replace substitute supersede; follow
succeed; successor follower heir; precede; predecessor; inherit; marry wed spouse; wife spouse; husband spouse; birth born;
bear born birth; bury burial grave; disease plague epidemic; heal cure treat; medicine drug medication; hospital clinic;
doctor medic; body organism; cell tissue; blood plasma; brain mind; food meal; drink beverage; crop harvest; farm
agriculture farming; farmer peasant; animal creature beast; plant flora; species kind; climate weather; rain rainfall
precipitation; wind storm; cold chilly; hot warm; sun solar; light radiation; wave pulse; sound noise; electric electrical
electricity; nuclear atomic; chemical compound; gas vapor vapour steam; burn combust combustion fire; explode explosion; fuel gasoline;
pressure stress; force strength; motion movement move; accelerate acceleration; path route way; travel journey trip
voyage; explore exploration expedition; visit; guide direct; carry transport convey bear; deliver bring; collect gather
accumulate; store save; share divide; combine mix blend; connect link join; separate isolate; surround encircle; cover
conceal; reveal disclose expose; announce declare proclaim; publish print release issue; letter message; newspaper press
journal; document record; translate render; word term; meaning sense; mean signify denote; symbol sign emblem; represent
depict portray; paint painting; sculpture statue; theater theatre; perform performance; actor performer; game match; champion
winner victor; award prize medal honor; celebrate commemorate; festival celebration; holiday vacation; tradition custom;
culture civilization; belief faith; believer follower adherent; priest clergy minister; pope pontiff; bishop; saint;
temple shrine; bible scripture; pray prayer; worship; philosopher thinker; teacher instructor professor; degree diploma;
class course; knowledge learning; skill ability; learn study; understand comprehend; remember recall; forget; hope expect;
fear dread; anger rage; love affection; hate dislike; happy glad; sad unhappy; pleasant nice; beautiful pretty; ugly;
clean pure; dirty polluted pollution; safe secure; danger threat peril risk; dangerous hazardous; careful cautious; brave
courageous; weak feeble; tired weary; busy; lazy; clever intelligent; stupid foolish; young youth; young juvenile; adult
grownup; aged elderly; early beginning; late end; final last ultimate; original first initial; initially originally first;
eventually finally ultimately; currently now today presently; formerly previously before prior; later afterwards after; during
throughout; approximately roughly estimated about around; exactly precisely; mostly mainly largely primarily chiefly; only solely
merely; also too; however but; despite although; besides addition also; fund finance; sponsor support; invest investment; spend expenditure;
earn income; hire employ recruit; fire dismiss; employee worker staff; boss manager; manage administer run operate; operation
action; plan scheme project program; policy strategy; develop development; design plan; improve enhance; reform restructure; repair fix
restore; rebuild reconstruct; invade occupy; occupation; conquer subdue; rebel revolt; oppose resist opposition resistance; enemy
opponent; defend protection; shield; escape flee; hunt chase pursue; catch trap; hit strike; push press; pull drag; throw
cast; lift raise; drop fall; break shatter; bend; cut slice; tear rip; close shut; lock seal; open unlock; look watch observe
view; hear listen; touch feel; smell; taste; sing chant; dance; laugh smile; cry weep; sleep rest; walk stroll; run race;
climb ascend; descend; swim; fly flight; drive ride; sail; ship naval navy; troop force unit; casualty loss dead; wound
injure; ceasefire truce armistice; peace treaty; negotiate negotiation talk; conference meeting summit; delegate
representative; ambassador envoy diplomat; minister secretary; president head; mayor; governor; noble aristocrat; knight; peasant
serf; citizen national; immigrant migrant settler; immigration migration emigration; refugee exile; population inhabitant people;
ethnic race racial; tribe clan; native indigenous; foreign alien overseas; international global worldwide; global world; national
country; federal; regional local; civil civic; public common; private personal; official formal; secret hidden; legal lawful;
illegal unlawful; constitution charter; amend amendment; abolish repeal revoke; enforce implement apply; permit license; demand
require request; ask request; respond reply answer; inform notify tell; warn caution; advise counsel recommend; persuade
convince; promise pledge vow; swear oath; accuse charge blame; guilty; innocent; trial case; sue; murder homicide; theft
robbery steal; damage destruction; ruin destruction destroy; collapse fall; crisis emergency; disaster catastrophe; flood;
earthquake; hurricane storm; drought; famine hunger starvation"""

_OPPOSITES = """before after; first last; first second; second third; third fourth; north south; east west; northern southern; eastern
western; northeast southwest; northwest southeast; increase decrease; rise fall; grow shrink; more less; more fewer;
most least; most fewest; many few; high low; higher lower; highest lowest; large small; larger smaller; largest
smallest; big little; long short; longer shorter; longest shortest; old young; old new; older younger; oldest
youngest; oldest newest; early late; earlier later; earliest latest; begin end; start stop; start end; win lose; buy
sell; give take; give receive; send receive; allow prevent; allow forbid; allow prohibit; accept reject; accept
refuse; agree disagree; approve reject; support oppose; love hate; like dislike; friend enemy; ally enemy; success
failure; succeed fail; strong weak; stronger weaker; hot cold; warm cool; dark light; heavy light; fast slow; rich
poor; good bad; better worse; best worst; right wrong; right left; true false; same different; similar different;
inside outside; internal external; inner outer; above below; over under; up down; upper lower; front back; near far;
public private; male female; man woman; boy girl; mother father; son daughter; king queen; brother sister; husband
wife; victory defeat; attack defend; war peace; life death; live die; build destroy; create destroy; open close; open
closed; add remove; include exclude; import export; enter leave; arrive depart; join leave; unite divide; major minor;
maximum minimum; positive negative; rural urban; ancient modern; always never; all none; everything nothing; everyone
nobody; everyone everybody; with without; for against; input output; push pull; absorb emit; gain lose; appear
disappear; known unknown; clear unclear; able unable; common rare; usual unusual; popular unpopular; legal illegal;
formal informal; direct indirect; active inactive; complete incomplete; dependent independent; possible impossible;
catholic protestant; teacher student; majority minority; hard easy; hard soft; wet dry; full empty; simple complex;
gas liquid; liquid solid; solid gas; north east; south west; north west; south east; world country; city country; wife
husband; absent present; absence presence; abundant scarce; accelerate decelerate; active passive; acute chronic; acid
base; acidic basic; adaptive innate; advance retreat; advantage disadvantage; ally opponent; alive dead; amateur
professional; ancestor descendant; analog digital; appear vanish; arrival departure; ascend descend; assemble
dismantle; attach detach; attract repel; attraction repulsion; autonomous dependent; average extreme; backward
forward; ban allow; bear bull; beginning end; birth death; bless curse; bottom top; boundless finite; bright dark;
broad narrow; cause prevent; center edge; central peripheral; centralize decentralize; chaos order; cheap expensive;
civilian military; closed open; coastal inland; combine separate; commoner noble; communist capitalist; conductor
insulator; connect disconnect; conservative liberal; constant variable; constructive destructive; consume produce;
consumer producer; contract expand; convex concave; creditor debtor; cruel kind; day night; debit credit; decline
grow; decrease rise; increase fall; increase drop; increase reduce; deep shallow; defense offense; defensive
offensive; deflation inflation; deny admit; deny confirm; deterministic nondeterministic; difficult easy; discourage
encourage; dishonest honest; domestic foreign; domestic international; dominant recessive; downward upward; dynamic
static; eager reluctant; eastward westward; elastic inelastic; elect appoint; emigrate immigrate; emigration
immigration; employ dismiss; employer employee; ending beginning; endothermic exothermic; enemy friend; entire
partial; entrance exit; even odd; even uneven; exhale inhale; exhaust intake; exempt liable; expand contract; explicit
implicit; export import; extinct living; extrinsic intrinsic; fact fiction; fail pass; faithful unfaithful; famous
unknown; famous obscure; farther nearer; fat thin; favor oppose; fertile barren; few several; finite infinite; finish
start; fixed variable; flat steep; flexible rigid; forget remember; former latter; former current; found abolish;
founded dissolved; fresh salt; future past; general specific; genuine fake; giant tiny; give withhold; global local;
gradual sudden; guilty innocent; happy sad; harmful harmless; harmful beneficial; heaven hell; height depth; hide
reveal; highland lowland; hill valley; horizontal vertical; host guest; hostile friendly; humid dry; ignore notice;
immune susceptible; implicit explicit; important trivial; inbound outbound; include omit; indoor outdoor; inferior
superior; initial final; inorganic organic; insert remove; inward outward; join split; junior senior; knowledge
ignorance; land sea; land water; large tiny; last next; laugh cry; least best; lend borrow; lenient strict; length
width; liberate enslave; liberal strict; linear nonlinear; literate illiterate; local national; local foreign; locked
unlocked; loose tight; loser winner; loss gain; loss profit; loud quiet; love fear; loyal disloyal; lucky unlucky;
master slave; mature immature; mental physical; migrate stay; minimal maximal; minimize maximize; mobile stationary;
monarchy republic; moral immoral; multiply divide; natural artificial; natural manmade; natural supernatural;
negligible significant; noble common; noon midnight; normal abnormal; north southeast; northeast southeast; northwest
northeast; northern eastern; northern western; southern eastern; southern western; nuclear conventional; obey disobey;
objective subjective; occupied vacant; offend defend; often seldom; often never; optional mandatory; optional
compulsory; oral written; orderly chaotic; ordinary extraordinary; orthodox heretical; overt covert; owner tenant;
parallel perpendicular; parallel series; parent child; part whole; partially fully; past present; pay owe; peak
trough; penalty reward; permanent temporary; permit prohibit; perfect imperfect; plaintiff defendant; plural singular;
plus minus; polite rude; political apolitical; poverty wealth; powerful powerless; praise criticize; precede follow;
predator prey; preserve destroy; primary secondary; primitive advanced; prior subsequent; private state; progress
regress; prosecute defend; protect endanger; prove disprove; pull repel; punish reward; quantity quality; question
answer; quick slow; radical moderate; raise lower; random systematic; ratify reject; rational irrational; reactive
inert; real imaginary; rear front; recent ancient; recent old; reduce increase; regular irregular; relevant
irrelevant; religious secular; repair damage; resist yield; responsible irresponsible; retain lose; retire work;
reverse forward; reversible irreversible; right obligation; rigid fluid; rough smooth; royal common; royal republican;
rural metropolitan; sacred secular; safe dangerous; saint sinner; satisfied dissatisfied; scarce plentiful; seize
release; sell purchase; separate together; serious trivial; servant master; shallow deep; sharp dull; shorten
lengthen; shrink expand; silence noise; single multiple; single double; single married; sink float; sober drunk; sour
sweet; special general; spend save; stable unstable; stationary moving; stay leave; straight curved; strength
weakness; strengthen weaken; student professor; subtract add; summer winter; spring autumn; sunrise sunset; supply
demand; support opposition; surface interior; survive perish; symmetric asymmetric; sympathetic hostile; tall short;
tame wild; thaw freeze; theoretical practical; theoretical experimental; thick thin; tight loose; together apart;
toxic nontoxic; tragedy comedy; transparent opaque; trust distrust; urban agricultural; useful useless; vague clear;
valid invalid; vertical horizontal; vice virtue; visible invisible; voluntary compulsory; voluntary forced; war truce;
warm cold; weaken strengthen; weekday weekend; white black; black red; red blue; blue green; green yellow; white red;
wholesale retail; wide narrow; widen narrow; win lost; winner runner; win defeat; wise foolish; withdraw deposit;
withdraw advance; worsen improve; young elderly; youngest eldest; zero one; catholic orthodox; democrat republican;
army navy; sergeant general; infantry cavalry; bacteria virus; plant animal; solid plasma; artery vein; north america;
poet novelist; violin piano; bus train; apple orange"""

# Of which one excludes the others, where they fill one place.
_RIVALS = """second minute hour day week month year decade century; million billion thousand hundred; weekly monthly yearly daily
annually; king emperor president; father son brother; mother daughter sister; legislative executive judicial; january
february march april may june july august september october november december; monday tuesday wednesday thursday
friday saturday sunday; mercury venus mars jupiter saturn; copper iron gold silver bronze; kilometer mile meter foot;
pound dollar euro yen; gram kilogram ton; christian muslim jewish buddhist hindu; prince duke earl baron; bachelor
master doctor; oxygen nitrogen hydrogen carbon; proton neutron electron; heart lung liver; biology chemistry physics;
novel poem play; football baseball basketball; freshman sophomore senior; wheat rice corn"""

NEGATIONS = word_set("""not no never none neither nor nobody nothing nowhere without cannot can't couldn't didn't doesn't don't hadn't hasn't
haven't isn't aren't wasn't weren't won't wouldn't shouldn't except excluding unlike fail failed fails failure lack lacked lacks
refuse refused unable hardly rarely""")
RESTRICTIONS = word_set("""only first last most least best worst largest smallest biggest highest lowest oldest youngest longest shortest greatest
sole main always all every any both second third fourth fifth final original originally primary earliest latest""")
_OPPOSITE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "anti", "mis")

DEGREES = word_set("many much long far old tall large big high deep wide often fast")
KINDS = word_set("""many much long far old tall large big high deep wide often fast year years date day month century decade time period type
types kind kinds sort form name names term word percentage percent portion number amount country countries nation city cities
state place location area region town continent person people group groups language color colour event thing things other two
three four of the in was is""")
NUMBER_WORDS = word_set("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion half third thirds
quarter quarters dozen dozens hundreds thousands millions billions twice once double triple several""")
_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
TIME_WORDS = frozenset(MONTHS) | word_set("""monday tuesday wednesday thursday friday saturday sunday century centuries decade decades year years month months week
weeks day days hour hours minute minutes second seconds spring summer autumn winter era age period bc ad bce ce""")


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.replace("\n", " ").split(";")]


@lru_cache(maxsize=1)
def lemmas() -> dict[str, str]:
    """Return the base of each irregular form."""
    base_of: dict[str, str] = {}
    for base, *forms in _groups(_IRREGULAR):
        for form in forms:
            base_of.setdefault(form, base)
    return base_of


@lru_cache(maxsize=1)
def peoples() -> dict[str, str]:
    """Return the country (or faith) of each of its adjectives and members."""
    return {form: base for base, *forms in _groups(_PEOPLES) for form in forms}


@lru_cache(maxsize=1)
def synonyms() -> dict[str, frozenset[str]]:
    """Return the stems of the words that can stand for a word, by its stem."""
    return _related(_groups(_SYNONYMS))


@lru_cache(maxsize=1)
def opposites() -> dict[str, frozenset[str]]:
    """Return the stems of the words that exclude a word, by its stem."""
    return _related(_groups(_OPPOSITES))


@lru_cache(maxsize=1)
def rivals() -> dict[str, frozenset[str]]:
    """Return the stems of the words that could stand in a word's place, by its stem: other months, units, countries."""
    countries = [[base for base, *_ in _groups(_PEOPLES)]]
    return _related([*_groups(_RIVALS), *countries])


def _related(groups: list[list[str]]) -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for group in groups:
        stems = {stem(word) for word in group}
        for word in stems:
            related.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in related.items()}


def negated(word: str, other: str) -> bool:
    """Whether one of two words is the other with a prefix that turns it round: clear, unclear."""
    long, short = sorted((word, other), key=len, reverse=True)
    if len(short) > 3 and any(long == prefix + short for prefix in _OPPOSITE_PREFIXES):
        return True
    return word.endswith("less") != other.endswith("less") and word.removesuffix("less") == other.removesuffix(
        "less"
    ).removesuffix("ful")
