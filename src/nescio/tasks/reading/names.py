"""Names for the recogniser in `entities.py`: first names, places, and words that suggest a person, a place or a time.

Short on purpose: what is common in English and Canadian news for children. Names that are in no list may still be
recognised by the words around them.
"""

from nescio.text import word_set

FIRST_NAMES = word_set(
    """adam alan albert alex alexander alice allan allen amanda amy andrea andrew angela ann anna anne anthony arthur
barbara ben benjamin betty bill bob brad brenda brent brian bruce carl carol caroline catherine charles charlie chris
christine christopher cindy claire colin craig cynthia dan daniel dave david deborah debbie dennis derek diana diane don
donald donna doris dorothy doug douglas ed eddie edward eleanor elizabeth ellen emily emma eric erik ernest ethel eva evelyn
florence frances francis francois frank fred frederick gary geoffrey george gerald gilles glen glenn gloria gordon graham grant
greg gregory harold harry heather helen henry herbert howard hugh ian irene isabel jack jacques jacob james jamie jane janet
jason jay jean jeff jeffrey jennifer jenny jeremy jerry jessica jessie jim jimmy joan joe john johnny jon jonathan joseph
joshua joyce juan judith judy julia julie justin karen karl kate katherine kathleen kathy keith kelly ken kenneth kevin kim
kyle larry laura lauren lawrence lee leonard leslie lewis linda lisa lloyd lois louis louise lucy luis luke lynn
marc marcel margaret maria marie marilyn mario mark martha martin mary matt matthew maurice max megan melissa michael michel
michelle mike mildred monica nancy nathan neil nicholas nick nicole nina norman olga oliver oscar pamela pat patricia patrick
paul paula peter phil philip phillip pierre rachel ralph ray raymond rebecca richard rick robert robin roger ron ronald rosa
rose roy russell ruth ryan sally sam samantha samuel sandra sara sarah scott sean sharon shawn sheila shirley simon sophie
stan stanley stephanie stephen steve steven stuart sue susan suzanne sylvia tara ted teresa terry theresa thomas tim timothy
tina todd tom tommy tony tracy valerie vera victor victoria vincent virginia walter wanda warren wayne wendy william willie
yvonne zachary"""
)

WOMEN = word_set(
    """alice amanda amy andrea angela ann anna anne barbara betty brenda carol caroline catherine christine cindy claire cynthia
deborah debbie diana diane donna doris dorothy eleanor elizabeth ellen emily emma ethel eva evelyn florence gloria heather helen
irene isabel jane janet jennifer jenny jessica joan joyce judith judy julia julie karen kate katherine kathleen kathy laura
lauren linda lisa lois louise lucy lynn margaret maria marie marilyn martha mary megan melissa michelle mildred monica nancy
nicole nina olga pamela patricia paula rachel rebecca rosa rose ruth sally samantha sandra sara sarah sharon sheila shirley
sophie stephanie sue susan suzanne sylvia tara teresa theresa tina tracy valerie vera victoria virginia wanda wendy yvonne
mrs ms miss lady queen princess woman girl mother sister aunt grandma grandmother daughter wife actress"""
)
_EITHER = word_set("alex chris frances francis jamie jean jessie kelly kim lee leslie pat robin sam willie")
MEN = (FIRST_NAMES - WOMEN - _EITHER) | word_set(
    "mr sir lord king prince man boy father brother uncle grandpa grandfather son husband bishop pope actor"
)

TITLES = word_set(
    """mr mrs ms miss dr prof professor sir lady lord king queen prince princess president premier minister senator sen
governor gov mayor judge justice general gen colonel col captain capt lieutenant lt sergeant sgt constable officer chief coach
principal superintendent rev reverend father sister bishop pope aunt uncle grandma grandpa"""
)

SPEAKS = word_set("says said say adds added explains explained told tells asked asks thinks believes agrees")

PLACES = word_set(
    """afghanistan africa alabama alaska alberta albania algeria america amsterdam antarctica arctic argentina arizona arkansas
asia athens atlanta atlantic australia austria baghdad bangladesh barcelona beijing belgium belgrade berlin bosnia boston brazil
britain brooklyn brussels bulgaria cairo calgary california cambodia canada charlottetown chicago chile china colombia colorado
congo connecticut copenhagen croatia cuba dallas delaware denmark denver detroit dublin ecuador edmonton egypt england estonia
ethiopia europe finland florida france fredericton geneva germany ghana greece greenland haiti halifax hamilton hawaii holland
honduras houston hungary iceland idaho illinois india indiana indonesia iowa iran iraq ireland israel italy jamaica japan
jerusalem jordan kansas kentucky kenya kosovo kuwait labrador latvia lebanon libya lisbon lithuania london louisiana macedonia
madrid maine malaysia manitoba maryland massachusetts mexico miami michigan milan minnesota mississippi missouri moncton mongolia
montana montreal morocco moscow mozambique nebraska nepal netherlands nevada newfoundland niagara nicaragua nigeria norway nunavut
ohio oklahoma oman ontario oregon oslo ottawa pacific pakistan palestine panama paris pennsylvania peru philadelphia philippines
poland portugal prague quebec regina romania rome russia rwanda saskatchewan saskatoon scandinavia scotland seattle senegal serbia
shanghai siberia singapore slovakia slovenia somalia spain stockholm sudan sweden switzerland sydney syria taiwan tanzania
tasmania tehran tennessee texas thailand tibet tokyo toronto tunisia turkey uganda ukraine utah vancouver venezuela venice vermont
vienna vietnam virginia wales warsaw washington whitehorse windsor winnipeg wisconsin wyoming yellowknife yemen yugoslavia yukon
zambia zimbabwe"""
)
_OF_TWO = """baffin island|british columbia|buenos aires|cape breton|costa rica|czech republic|el salvador|great britain|hong kong
hudson bay|los angeles|middle east|new brunswick|new england|new hampshire|new jersey|new mexico|new orleans|new york
new zealand|north america|north carolina|north dakota|north korea|northern ireland|northwest territories|nova scotia
prince edward|puerto rico|rhode island|san diego|san francisco|saudi arabia|sierra leone|south africa|south america
south carolina|south dakota|south korea|sri lanka|united kingdom|united nations|united states|west virginia"""
PLACES_OF_TWO = frozenset(_OF_TWO.replace("\n", "|").split("|"))
PLACE_WORDS = word_set(
    """airport avenue bay beach bridge building canyon church city coast college county creek desert farm forest gulf harbour
harbor hill hills hospital hotel house island islands lake library mountain mountains museum ocean park peninsula province region
river road school sea shore square station strait street territory theatre town university valley village zoo"""
)

# Words in capitals that tell an organisation, an event or a work from a person.
NOT_PERSONS = word_set(
    """academy act agency army assembly association award awards bank board bureau cabinet canadian american british french english
centre center club commission committee communist company conference congress corp council court cup day department division
federation festival force foundation fund games government group health inc industries institute international league liberal
ltd ministry movement nation national nations network news office olympic olympics organization parliament party police press
program project radio research school science secretary senate series service show society states studios supreme team times
trade treaty tribunal tribune tv union united war world"""
)

MONTHS = word_set("january february march april may june july august september october november december")
DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
# Names of nothing that the recogniser looks for, though they are written with a capital.
NO_NAMES = MONTHS | DAYS | word_set("i english french canadian american british christmas easter god internet")
