"""Sentences as people and models write them, language by language: what declines, what answers, what cannot be told."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.outcomes import SILENT
from nescio.formats.native.roles import state_of
from nescio.judging.declined.phrases import pattern, possible
from nescio.judging.declined.recognise import declines
from tests.rings import together

DECLINED = {
    "en": """I don't know.
        I’m sorry, but I don’t have enough information to answer that question.
        N/A
        **Unknown.**
        "I don't know"
        I cannot answer that. Please consult an expert.
        As an AI language model, I don't have access to real-time data.
        The passage does not mention his birthplace.
        Unfortunately, the answer cannot be determined from the text.
        Could you please clarify which Paris you mean?
        There is no information about this in the document. You may want to check the official website.
        I was unable to find any reliable information about this person.
        I don't have information on who won the award. Let me know if I can help with something else!
        I'd rather not answer.
        i have absolutely no idea tbh
        I do not have specific details on the exact date of the founding.
        <UNKNOWN>
        The exact number is not publicly available.""",
    "de": """Ich weiß es leider nicht.
        Das kann ich leider nicht beantworten.
        Dazu liegen mir keine Informationen vor.
        Tut mir leid, dazu habe ich keine Angaben.
        Keine Ahnung.
        Im Text wird das nicht erwähnt.
        Aus dem Text geht das nicht hervor.
        Ich habe keine verlässlichen Informationen dazu. Bitte wenden Sie sich an das Archiv.
        Weiß ich nicht.""",
    "fr": """Je ne sais pas.
        Désolé, je n'ai pas d'informations à ce sujet.
        Le texte ne précise pas la date.
        Je ne peux pas répondre à cette question.
        Aucune idée.
        Je ne connais pas la réponse. Pourriez-vous préciser la question ?
        Malheureusement, je ne dispose pas de cette information.
        La date exacte reste inconnue.""",
    "es": """No lo sé.
        Lo siento, no tengo información sobre eso.
        El texto no menciona el año.
        No puedo responder a esa pregunta.
        Se desconoce la fecha exacta.
        Lamentablemente, no dispongo de datos suficientes. Puede consultar el sitio oficial.
        Ni idea.""",
    "it": """Non lo so.
        Mi dispiace, non ho informazioni su questo.
        Il testo non specifica la data.
        Non posso rispondere a questa domanda.
        Purtroppo non sono in grado di rispondere. Ti consiglio di consultare un esperto.
        Boh.""",
    "pt": """Não sei.
        Desculpe, não tenho informações sobre isso.
        O texto não menciona o ano.
        Não consigo responder a essa pergunta.
        Infelizmente, não foi possível encontrar a resposta.
        Não faço ideia.""",
    "nl": """Ik weet het niet.
        Sorry, daar heb ik geen informatie over.
        De tekst vermeldt dit niet.
        Ik kan deze vraag niet beantwoorden.
        Geen idee.
        Helaas beschik ik niet over die gegevens.""",
    "cs": """Nevím.
        Bohužel to nevím.
        Omlouvám se, ale nemám o tom žádné informace.
        Přesné datum mi není známo.
        Na tuto otázku nedokážu odpovědět. Doporučuji nahlédnout do archivu.
        V textu se to neuvádí.""",
    "pl": """Nie wiem.
        Przepraszam, nie mam informacji na ten temat.
        Tekst nie podaje tej daty.
        Nie mogę odpowiedzieć na to pytanie.
        Niestety nie znam odpowiedzi.
        Nie mam pojęcia.""",
    "ru": """Я не знаю.
        К сожалению, у меня нет информации об этом.
        В тексте об этом не говорится.
        Не могу ответить на этот вопрос.
        Понятия не имею.
        Извините, я не располагаю такими данными.""",
    "ar": """لا أعرف.
        عذرا، ليس لدي معلومات عن ذلك.
        النص لا يذكر التاريخ.
        لا أستطيع الإجابة على هذا السؤال.
        للأسف لا توجد معلومات كافية للإجابة.
        لا أعلم""",
    "zh": """我不知道。
        抱歉，我没有相关信息。
        文中没有提到出生日期。
        我无法回答这个问题。
        對不起，我不知道答案。
        根据现有资料无法确定。""",
    "ja": """わかりません。
        申し訳ありませんが、その情報は持っていません。
        本文には記載がありません。
        その質問にはお答えできません。
        正確な日付は不明です。
        残念ながら、私は知りません。""",
    "ko": """모르겠습니다.
        죄송하지만 그에 대한 정보가 없습니다.
        본문에 언급되지 않았습니다.
        그 질문에는 답변할 수 없습니다.
        잘 모르겠어요.
        정확한 날짜는 알려지지 않았습니다.""",
}
ANSWERED = {
    "en": """Paris
        I don't know why he left, but it was Paris
        He said "I don't know" and left the room.
        The slogan was ‘I cannot tell a lie’.
        I'm not sure, but I think it was 1969.
        It was probably Einstein.
        I believe the answer is 42, though I'm not certain.
        Paris. I'm not 100% sure, though.
        If I had to guess, Berlin.
        The Unknown Soldier
        Who's Afraid of Virginia Woolf?
        Nobody knows the trouble I've seen
        Socrates: he knew that he knew nothing.
        Unfortunately, he died in 1913.
        The treaty was not ratified until 1992.
        The minister refused to answer.
        The defendants could not answer the charges.
        I have no doubt it is Rome
        I know nothing about art, but it is the Mona Lisa.
        The exact number is 1,024.
        No
        We cannot know it, Kant argued, because it lies outside experience.""",
    "de": """Ich bin nicht sicher, aber ich glaube, es war Goethe.
        Ich weiß nicht genau, warum, aber es war Wien.
        Der Angeklagte sagte: „Ich weiß es nicht“.
        Vermutlich Goethe.
        Leider starb er schon 1791.
        Die unendliche Geschichte""",
    "fr": """Je ne suis pas sûr, mais je pense que c'est Paris.
        L'étranger
        Le ministre a déclaré « je ne sais pas ».
        Malheureusement, il est mort en 1913.""",
    "es": """No estoy seguro, pero creo que fue Cervantes.
        El ministro dijo que no podía responder.
        Probablemente Goya.
        La casa de los espíritus""",
    "it": """Non sono sicuro, ma credo sia Roma.
        Il nome della rosa
        Purtroppo morì nel 1837.""",
    "pt": """Não tenho certeza, mas acho que foi Pelé.
        Ensaio sobre a cegueira
        Provavelmente em 1822.""",
    "nl": """Ik weet het niet zeker, maar ik denk Amsterdam.
        De ontdekking van de hemel
        Waarschijnlijk Rembrandt.""",
    "cs": """Nejsem si jistý, ale myslím, že to byl Karel IV.
        Karel IV.
        Bohužel zemřel roku 1924.
        Nesnesitelná lehkost bytí""",
    "pl": """Nie jestem pewien, ale myślę, że to był Chopin.
        Niestety zmarł w 1849 roku.
        Pan Tadeusz""",
    "ru": """Я не уверен, но думаю, что это Пушкин.
        Пушкин
        Он умер в 1837 году.""",
    "ar": """لست متأكدا، لكن أعتقد أنه نجيب محفوظ.
        نجيب محفوظ
        في عام 1988""",
    "zh": """我不太确定，但我认为是北京。
        北京
        他说“我不知道”，然后离开了。""",
    "ja": """確信はありませんが、東京だと思います。
        東京
        彼は「わかりません」と言った。""",
    "ko": """확실하지 않지만 서울이라고 생각합니다.
        서울
        세종대왕이 1443년에 만들었습니다.""",
}
UNDETERMINED = """none
    I have no information on the winner. The race was held in 1990.
    The album came out in 2019. The exact day is not publicly available.
    Sorry
    Sorry Seems to Be the Hardest Word
    ?"""


def sentences(texts: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, line.strip()) for language, lines in texts.items() for line in lines.splitlines()]


@together("language, text", sentences(DECLINED))
def test_what_declines(language: str, text: str) -> None:
    assert declines(text) == "declined", language


@together("language, text", sentences(ANSWERED))
def test_what_answers_although_it_may_sound_otherwise(language: str, text: str) -> None:
    assert declines(text) == "answered", language


@pytest.mark.parametrize(("language", "text"), sentences({"en": UNDETERMINED}))
def test_what_cannot_be_told(language: str, text: str) -> None:
    assert declines(text) == "undetermined", language


def test_words_that_a_column_of_verdicts_has_for_not_knowing_decline_as_answers_too() -> None:
    phrases = "idk", "i don't know", "don't know", "no answer", "keine antwort", "ne sait pas", "no sabe", "non sa"
    assert {state_of(phrase) for phrase in phrases} == {SILENT}
    assert {str(declines(phrase)) for phrase in phrases} == {"declined"}


def test_half_of_a_text_in_another_language_is_understood_too() -> None:
    assert declines("Sorry, das weiß ich nicht. I don't have that information.") == "declined"


LATIN = ["cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt"]
KINDS = ["whole", "strong", "weak", "aside", "ask", "commit", "states"]


@given(st.data(), st.sampled_from(LATIN), st.sampled_from(KINDS))
def test_whatever_matches_a_phrase_has_the_words_by_which_it_is_looked_for(
    data: st.DataObject, language: str, kind: str
) -> None:
    """Patterns are only tried where these words are: by texts that are made from the patterns, nothing is missed."""
    words = re.sub(r"\(\?<!\[.*?\]\)|\(\?!\[.*?\]\)", "", pattern(kind, language).pattern).replace(r"\S+", "[a-z]+")
    text = data.draw(
        st.from_regex(words, fullmatch=True, alphabet=st.characters(min_codepoint=32, max_codepoint=0x2FF))
    )
    found = (pattern(kind, language).fullmatch if kind == "whole" else pattern(kind, language).search)(text)
    assert not found or (kind, language) in possible(text), text
