"""What people call the columns of their tables, and what they write in them: data alone, in five languages.

Names and words are written without accents and in lower case; `roles.squash` and `roles.fold` bring a header or a cell
into that form, so that `Is correct?`, `isCorrect` and `is_correct` are one name. English, German, French, Spanish and
Italian; the words of verdicts in Portuguese, Dutch, Polish, Russian and Chinese, too.
"""

from __future__ import annotations

from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.text import word_set

# The part that a column plays, and what it is called; a more telling name stands before a vaguer one.
COLUMNS: dict[str, str] = {
    "run": (
        """run run_name run_id model model_name model_id system system_name system_id llm engine agent bot chatbot team
        participant lauf modell modellname modele nom_du_modele systeme modelo nombre_del_modelo sistema ejecucion modello
        nome_modello nome_del_modello esecuzione"""
    ),
    # what names a question
    "id": (
        """question_id qid question_number question_no question_nr query_id topic_id item_id sample_id instance_id example_id
        doc_id problem_id prompt_id task_id case_id frage_id fragen_id frage_nr fragenummer question_num id_question
        numero_question id_de_la_question id_pregunta pregunta_id numero_pregunta id_domanda domanda_id numero_domanda q item
        sample example instance case id nr no number num index idx numero"""
    ),
    # what it asks
    "text": (
        """question question_text query prompt problem user_input user_query frage fragetext fragestellung pregunta
        texto_pregunta domanda testo_domanda quesito"""
    ),
    "gold": (
        """y_true y_test y gt soll ref gold_label true_label gold_answers golden_answers gold_answer golden_answer gold reference_answer reference_answers reference references
        ground_truth ground_truths expected expected_answer expected_output correct_answer correct_answers right_answer
        true_answer target answers truth solution richtige_antwort korrekte_antwort erwartete_antwort musterantwort
        musterloesung musterlosung referenzantwort referenz loesung losung reponse_correcte reponse_attendue bonne_reponse
        reponse_de_reference reponse_exacte verite respuesta_correcta respuesta_esperada respuesta_de_referencia
        referencia solucion risposta_corretta risposta_attesa risposta_giusta risposta_di_riferimento riferimento
        soluzione"""
    ),
    "prediction": (
        """y_pred yhat ist hyp sys choice chosen selected predicted_label pred_label prediction predicted predicted_answer model_answer system_answer answer_given given_answer final_answer
        generated_answer bot_answer model_response model_output system_output response output completion generation generated
        pred hypothesis modellantwort systemantwort gegebene_antwort antwort_des_modells antwort_des_systems vorhersage
        ausgabe reponse_du_modele reponse_donnee reponse_du_systeme reponse_generee sortie respuesta_del_modelo
        respuesta_dada respuesta_del_sistema respuesta_generada prediccion salida risposta_del_modello risposta_data
        risposta_del_sistema risposta_generata predizione previsione uscita"""
    ),
    # gold where another column is the prediction, and else the prediction
    "answer": "answer antwort reponse respuesta risposta",
    "outcome": (
        """outcome verdict correct is_correct correctness judgement judgment human_judgement human_judgment human
        human_verdict human_correct manual_correct judge_correct llm_correct auto_correct acceptable is_acceptable accepted right is_right answer_correct is_answer_correct passed urteil richtig
        ist_richtig korrekt ist_korrekt bewertung korrektheit juste est_juste est_correct correcte est_correcte jugement
        correcto es_correcto correcta es_correcta acierto veredicto juicio corretto e_corretto corretta e_corretta esatto
        giusto verdetto giudizio"""
    ),
    # the opposite of a verdict
    "wrong": (
        "incorrect is_incorrect wrong is_wrong falsch ist_falsch inkorrekt incorrecto incorrecta scorretto sbagliato"
        " errato"
    ),
    # the same, where no column is a verdict: beside one it may speak of a tool that failed
    "failure": (
        """error is_error has_error failed is_failed failure mistake hallucinated is_hallucinated hallucination
        is_hallucination not_correct not_right fehler fehlerhaft nicht_richtig erreur erreurs error_cometido errore"""
    ),
    # a verdict where the cells are words for one
    "score": (
        """grade label score accuracy acc rating result mark marks points eval evaluation assessment exact_match em match
        note punkte ergebnis resultat nota puntuacion resultado evaluacion voto punteggio risultato esito valutazione"""
    ),
    "abstained": (
        """abstained abstain abstains abstention is_abstention did_abstain declined is_declined refused refusal is_refusal
        is_refused unanswered not_answered not_attempted no_answer idk skipped is_skipped skip blocked withheld non_answer did_not_answer passed_on hat_abgelehnt uebersprungen enthalten enthaltung enthaltung_ja_nein verweigert
        verweigerung abgelehnt unbeantwortet keine_antwort abstenu s_est_abstenu refus refuse sans_reponse non_repondu
        abstencion abstenido se_abstuvo rechazado rechazo sin_respuesta no_respondida astensione astenuto si_e_astenuto
        rifiuto rifiutato senza_risposta non_risposto"""
    ),
    "answered": (
        """answered is_answered attempted is_attempted did_answer responded has_responded replied beantwortet repondu a_repondu respondida respondido
        contestada risposto ha_risposto"""
    ),
    "confidence": (
        """confidence confidence_score confidence_value conf certainty probability prob p_correct konfidenz sicherheit
        wahrscheinlichkeit confiance certitude probabilite confianza certeza probabilidad confidenza certezza fiducia
        probabilita"""
    ),
    "answerable": "answerable is_answerable has_answer has_answers beantwortbar",
    "unanswerable": "unanswerable is_unanswerable is_impossible unbeantwortbar",
}
# What people call the column that tells the answers to one question apart: it is proposed, never taken.
REPEATS = word_set("""
repeat repetition rep epoch trial attempt seed randomseed sample sampleid samplenumber iteration iter round
wiederholung durchgang essai intento tentativo prova
""")
# What people call the column that says whose verdict on an answer a row is.
ANNOTATORS = word_set("""
annotator annotatorid annotatorname assessor assessorid rater raterid coder labeler labeller reviewer grader
expert worker workerid humanid judgeid evaluator gutachter bewerter annotateur evaluateur anotador evaluador
annotatore valutatore
""")
# What the last row of a table is called where it sums up the others.
SUMS = word_set("""
total totals accuracy acc score c@1 sum mean average avg overall all gesamt summe mittelwert durchschnitt moyenne
somme total: media promedio suma totale somma
""")
# What is measured of an answer and is no name of a run: a word of these in its header.
MEASUREMENTS = word_set("""
accuracy acc mean average avg median best std mittelwert durchschnitt moyenne promedio score scores latency time
duration seconds secs sec ms millis minutes runtime elapsed cost costs price usd eur dollars tokens token chars
characters words length len count counts total n f1 em bleu rouge rougel meteor bertscore precision recall ndcg map
mrr perplexity loss faithfulness relevancy relevance groundedness correctness completeness clarity confidence conf
prob probability logprob logprobs certainty year date timestamp temperature seed step steps epoch retry retries rank
size memory percent pct ratio rate dauer zeit kosten laenge anzahl konfidenz duree temps cout longueur nombre duracion
tiempo coste costo longitud numero durata tempo lunghezza correct incorrect unanswered
""")
# What a cell says as a verdict; "_" stands for a space.
WORDS: dict[str, int] = {
    word.replace("_", " "): state
    for state, words in {
        CORRECT: """correct right true yes y t pass passed acceptable accepted ok good ✓ ✔ ✅ ☑ richtig korrekt wahr ja bestanden
            juste vrai oui correcte exact exacte bon bonne correcto correcta verdadero verdadera cierto si acierto corretto
            corretta giusto giusta vero vera esatto esatta correto correta certo certa acertou sim verdadeiro juist goed
            waar poprawna poprawny poprawne poprawnie dobrze tak prawda верно правильно да верныи правильныи 正确 对 是""",
        INCORRECT: """✗ ✘ ❌ ✖ incorrect wrong false no n f fail failed unacceptable rejected bad falsch inkorrekt nein nicht_richtig
            nicht_bestanden faux fausse non incorrecte inexact inexacte errone erronee incorrecto incorrecta falso falsa
            erroneo erronea fallo sbagliato sbagliata scorretto scorretta errato errata incorreto incorreta errado errada
            errou nao onjuist fout nee onwaar błedna błedny błedne błednie niepoprawna niepoprawnie zle nie fałsz неверно
            неправильно нет неверныи неправильныи 错误 错 否 fallido""",
        SILENT: """unanswered abstained abstain abstention declined refused refusal not_attempted not_answered no_answer
            no_response silent idk i_don't_know don't_know unbeantwortet keine_antwort enthalten enthaltung verweigert
            nicht_beantwortet abgelehnt weiss_nicht sans_reponse abstenu abstenue non_repondu refus ne_sait_pas
            sin_respuesta abstencion abstenido no_contestado no_contestada no_respondido no_respondida rechazado no_sabe
            senza_risposta astensione astenuto astenuta non_risposto non_sa sem_resposta absteve_se abstencao recusou
            nao_respondeu nao_sabe geen_antwoord onthouden geweigerd onthouding niet_beantwoord brak_odpowiedzi odmowa
            wstrzymał_sie нет_ответа отказ воздержался воздержалась 未作答 弃权 拒答 无回答 no_contesta no_sabe_no_contesta""",
        NOT_GRADED: """ungraded not_graded not_judged unjudged nicht_bewertet non_evalue sin_evaluar non_valutato""",
    }.items()
    for word in words.split()
}
# What a column about declining says of an answer that was given.
GIVEN = word_set("""
answered answer attempted responded given beantwortet repondu respondida risposto
""")
YES = word_set("""
true yes y t 1 1.0 1.00 ja wahr oui vrai si vero verdadero x sim tak да 是 ✓ ✔ ✅ ☑
""")
NO = word_set("false no n f 0 0.0 0.00 nein falsch non faux falso nao nee nie нет 否 ✗ ✘ ❌ ✖")

# What words of a name begin with, where the whole name is in no list: what it then may be about.
STEMS: dict[str, tuple[str, ...]] = {
    part: tuple(stems.split())
    for part, stems in {
        # words of verdicts, not of names
        "right": "correct match right accurate accept faithful grounded factual supported truthful passed passes succes solved resolved",
        # a tool that failed, and no answer that is wrong
        "broken": "error exception timeout crash fehler erreur",
        # what a program did, whatever the answer is
        "ran": "ok success succeed done complet finish error fail exception timeout crash abort fehler erreur",
        # what is made up, or is not
        "faults": "hallucin confabul fabricat factual faithful grounded",
        # what a system did
        "acts": "action decision status behavi route response outcome policy class attempt result answer mode",
        # who gives a verdict
        "judges": """judge grader annotator rater expert autorater evaluator reviewer scorer checker verifier""",
        # words of a name beside that
        "between": """is was has auto final answer response prediction pred eval mark graded
            system exact strict with flag bool manual pct percent status value detected present flagged label has contains the det ref y n of as by it got est e es ha czy hat 是否""",
        # what stands behind `model` in the name of a run
        "called": "name nom id version label key number num nr no tag slug alias short full under tested used variant config type",
        # how much an answer counts
        "weight": "weight gewicht poids peso pondera waga вес 权重",
        # whose verdict it is, or whose answer
        "whose": "llm gpt claude human model ai",
        "outcome": """correct right accura accept succes solv resolv pass verdict judg outcome grade grading match label verif reward
            score rating hit treffer evaluat assess result decision richtig korrekt urteil bewert wertung juste reponsejuste jugement evaluation
            bilan acierto acerto acertou veredi correto correta corretto corretta esatt giust giudiz evalua valutaz avalia
            resultado esito juist goed oordeel beoordel uitslag antwoordcorrect poprawn czypoprawn ocena werdykt wynik верн
            правильн ответверн оценка вердикт результат 正确 对 是否正确 回答正确 判断 评价 评判""",
        "wrong": """wrong correction inaccur reject disagree differ lacks misses unsupported unfaithful untru mismatch incorrect refut contradict hallucin confabul fabricat mistak erron error fail false untrue notcorrect notright
            notaccur falsch inkorrekt fehler faux erreur sbagliat scorrett errat incorrect equivocad onjuist fout bledn
            fel fejl feil virhe chyb hata halluz alucin allucin defect bad flaw неверн неправильн ошиб 错误 幻觉""",
        "abstained": """abst omit blank leer gaveup giveup givesup givenup optedout refus declin idk skip withh withdr silen evasi escalat block suppress defer punt handoff enthalt verweiger abgelehn keineantwort
            sansreponse rechaz sinrespuesta nocontest norespond rifiut senzarisposta nonrispost recus semresposta geweiger
            onthoud geenantwoord odmow odmowil czyodmowil wstrzym brakodpowiedzi отказ воздерж нетответа 弃权 拒答 未作答 是否弃权""",
        "answered": """answered attempted respond replied didanswer beantwort repondu contestad rispost gavean gaveresp givenan givenresp providedan providedresp""",
        "fact": """passage answerab unanswerab impossib ambigu hop multi difficult should expect review cach truncat valid parse
            timeout retr exit return latenc cost token price second time temperatur year length triggered backfired tamper
            tool format json schema citation cite source guardrail languag search web math multi single follow turn flagged
            num count need used code size batch version
            confiden prob needs requires context train split""",
        "run": """model modell modele modelo model system systeem backend candidate agent run method engine llm pipeline variant strat approach
            arm experiment policy config solver baseline bot modele sistema modelo модель система 模型 系统""",
        "repeat": """repeat repetition rep epoch trial attempt seed iteration iter round wiederhol durchgang essai intento
            tentativ prova runidx runindex runno runnum runnumber runseed drawindex sampleindex sampleidx""",
        "id": """id qid uid question quest query input stem item sample example prompt problem case task instance idx index doc row
            record entry scenario test num number nr numero frage pregunta domanda pergunta vraag pytan вопрос номер 题号
            问题 编号""",
        "prediction": """answer prediction predict response output completion generat hypothes submission reply antwort antwoord reponse
            respuesta risposta resposta odpowied ответ 模型答案 模型回答""",
        "gold": """gold expect verwacht attendu esperad reference target truth gt key best correctanswer musterl gabarito wzorzec эталон 标准答案 参考答案""",
    }.items()
}
# What the name of a column that sorts questions begins with.
_CATEGORIES = """
topic categor kategori thema theme subject domain field area lang country locale difficult schwierig level
grade tier split subset fold hop typ kind genre class section chapter dataset source corpus collection task
skill label status reason rubric suite bench stratum strata segment format qtype
"""
CATEGORIES = (*_CATEGORIES.split(),)
# What words begin with that say of a row that it may not count, and that it does.
LEFT_OUT = (
    *("exclu", "duplic", "dupe", "dedup", "ignor", "discard", "invalid", "void", "outlier", "outofscope", "spam"),
    *("ausgeschloss", "ungultig", "escluso", "esclusa", "doppelt", "doublon", "duplik"),
)
KEPT = ("includ", "keep", "kept", "valid", "eligib", "inscope", "gultig")
# What words begin with that say in which direction a score is better.
LESS, MORE = ("low", "less", "small", "min", "few"), ("high", "great", "larg", "big", "more", "max")
BETTER = ("better", "best", "good", "minimi", "maximi")
DIRECTIONS = ("direct", "better", "objectiv", "goal", "optimi", "polarity", "orient", "sense")
# What denies the word before it, or the word that it ends (`hallucination_free`, `fehlerfrei`).
WITHOUT = ("free", "frei", "less", "los", "libre", "libero")
NEGATIONS = (
    "not",
    "no",
    "non",
    "nicht",
    "keine",
    "un",
    "never",
    "didnt",
    "without",
    "sin",
    "sans",
    "senza",
    "sem",
    "ohne",
)
# What makes half a verdict of a word.
HEDGES = (
    "partial",
    "partly",
    "part",
    "most",
    "somewhat",
    "semi",
    "almost",
    "half",
    "mixed",
    "unclear",
    "maybe",
    "teil",
)
# Letters for verdicts, as graders write them.
CODES: tuple[dict[str, int], ...] = (
    {"A": CORRECT, "B": INCORRECT, "C": SILENT},
    {"CO": CORRECT, "IN": INCORRECT, "NA": SILENT},
    {"C": CORRECT, "I": INCORRECT, "N": SILENT},
)
# What pandas calls an index, squashed, and what else numbers questions.
INDEXES = ("", "unnamed0", "indexlevel0", "index")
TOPICS = ("topic",)
# What people call the column in which a judge says why; `reasoning` is a judge's only where no column holds answers.
REASONS = word_set("""
reason rationale explanation justification judgereason judgeexplanation judgerationale judgereasoning graderreasoning
graderreason graderesponse graderresponse comment feedback critique
""")
REASONING = "reasoning"
# What people call the column of how many answers there are, squashed.
TOTALS = word_set("total totals sum all n questions nquestions ntotal totalquestions")
# What the names of figures beside rows are made of, besides the word that says what is counted.
PERCENT = word_set("percent percentage pct")
SHARES = PERCENT | word_set("rate ratio share fraction proportion mean avg average quote anteil taux tasa tasso")
COUNTS = word_set("n num number nr no count counts total totals sum size anzahl nombre numero of is overall all")
UNITS = word_set("""questions question answers answer items item samples sample examples example rows row cases case
tasks task prompts prompt tests test instances instance problems problem records record responses queries predictions
entries fragen preguntas domande""")
DENIALS = word_set("not non no un")
# What figures are of other things than these answers, or no counts, if a word of their path is one of these.
ELSEWHERE = word_set("""judge baseline previous prior target goal threshold config configuration settings setting params
parameters args human agreement per by train dev expected chance random majority best worst min max std stderr sd se ci
lower upper low high median timing usage cost costs tokens time latency delta diff difference change gain kappa
weighted macro micro given calibration confidence batch concurrency workers retries retry seed limit version budget""")
