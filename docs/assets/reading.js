// Reads a table that somebody drops on the page: what is certain is read, what could mean two things is asked, and what is broken is named with its line.
const reading = (() => {
  class Problem extends Error {}
  let unit = "Line"; // of a text; an array in JSON has rows
  const fail = (rule, line) => { throw new Problem(line ? `${unit} ${line.toLocaleString("en")}: ${rule}` : rule); };
  const WORDS = ["correct", "incorrect", "unanswered"], RIGHT_BY_SILENCE = 3, MOST_CELLS = 50e6, MOST_WORDS = 30, MOST_BYTES = 500e6;
  const PARTS = { run: "Which column names the run (the system)?", question: "Which column names the question?", outcome: "Which column says what became of the answer?" };
  // What people call these columns, reduced to letters and digits: those that the command line knows. Written by tools/index.py.
  const NAMES = {"run": ["agent", "agentid", "agentkey", "agentlabel", "agentname", "agentnom", "agenttag", "agentversion", "backend", "backendid", "backendname", "bot", "botid", "botkey", "botlabel", "botname", "botnom", "bottag", "botversion", "candidate", "chatbot", "contender", "ejecucion", "engine", "engineid", "enginekey", "enginelabel", "enginename", "enginenom", "enginetag", "engineversion", "esecuzione", "idmodel", "idmodele", "idmodell", "idmodello", "idmodelo", "idrun", "idsistema", "idsystem", "idsysteme", "jmenomodelu", "lauf", "llm", "llmid", "llmkey", "llmlabel", "llmname", "llmnom", "llmtag", "llmversion", "model", "modele", "modeleid", "modelekey", "modelelabel", "modelename", "modelenom", "modeletag", "modeleversion", "modelid", "modelkey", "modell", "modellabel", "modellid", "modellkey", "modelllabel", "modellname", "modellnom", "modello", "modelloid", "modellokey", "modellolabel", "modelloname", "modellonom", "modellotag", "modelloversion", "modelltag", "modellversion", "modelnaam", "modelname", "modelnom", "modelo", "modeloid", "modelokey", "modelolabel", "modeloname", "modelonom", "modelotag", "modeloversion", "modeltag", "modelversion", "namemodel", "namemodele", "namemodell", "namemodello", "namemodelo", "namerun", "namesistema", "namesystem", "namesysteme", "nazevmodelu", "nazevsystemu", "nombredelmodelo", "nombredelsistema", "nombremodel", "nombremodele", "nombremodell", "nombremodello", "nombremodelo", "nombrerun", "nombresistema", "nombresystem", "nombresysteme", "nomdumodele", "nomdusysteme", "nomedelmodello", "nomedomodelo", "nomemodel", "nomemodele", "nomemodell", "nomemodello", "nomemodelo", "nomerun", "nomesistema", "nomesystem", "nomesysteme", "nommodel", "nommodele", "nommodell", "nommodello", "nommodelo", "nomrun", "nomsistema", "nomsystem", "nomsysteme", "participant", "run", "runid", "runkey", "runlabel", "runname", "runnom", "runtag", "runversion", "sistema", "sistemaid", "sistemakey", "sistemalabel", "sistemaname", "sistemanom", "sistemanome", "sistematag", "sistemaversion", "solver", "systeem", "systeemnaam", "system", "systeme", "systemeid", "systemekey", "systemelabel", "systemename", "systemenom", "systemetag", "systemeversion", "systemid", "systemkey", "systemlabel", "systemmodelu", "systemname", "systemnom", "systemtag", "systemversion", "team", "модель", "система", "システム", "システム名", "モテル", "モテル名", "模型", "系统"], "question": ["aufgabe", "aufgabeid", "aufgabeidx", "aufgabeindex", "aufgabekey", "aufgabeno", "aufgabenr", "aufgabenum", "aufgabenumber", "aufgabeuid", "aufgabeuuid", "caseid", "caseidx", "caseindex", "casekey", "caseno", "casenr", "casenum", "casenumber", "caseuid", "caseuuid", "cislootazky", "docid", "docidx", "docindex", "dockey", "docno", "docnr", "docnum", "docnumber", "docuid", "documentid", "documentidx", "documentindex", "documentkey", "documentno", "documentnr", "documentnum", "documentnumber", "documentuid", "documentuuid", "docuuid", "domandaid", "domandaidx", "domandaindex", "domandakey", "domandano", "domandanr", "domandanum", "domandanumber", "domandauid", "domandauuid", "ejemploid", "ejemploidx", "ejemploindex", "ejemplokey", "ejemplono", "ejemplonr", "ejemplonum", "ejemplonumber", "ejemplouid", "ejemplouuid", "entryid", "entryidx", "entryindex", "entrykey", "entryno", "entrynr", "entrynum", "entrynumber", "entryuid", "entryuuid", "esempioid", "esempioidx", "esempioindex", "esempiokey", "esempiono", "esempionr", "esempionum", "esempionumber", "esempiouid", "esempiouuid", "exampleid", "exampleidx", "exampleindex", "examplekey", "exampleno", "examplenr", "examplenum", "examplenumber", "exampleuid", "exampleuuid", "exempleid", "exempleidx", "exempleindex", "exemplekey", "exempleno", "exemplenr", "exemplenum", "exemplenumber", "exempleuid", "exempleuuid", "exerciceid", "exerciceidx", "exerciceindex", "exercicekey", "exerciceno", "exercicenr", "exercicenum", "exercicenumber", "exerciceuid", "exerciceuuid", "fallid", "fallidx", "fallindex", "fallkey", "fallno", "fallnr", "fallnum", "fallnumber", "falluid", "falluuid", "frageid", "frageidx", "frageindex", "fragekey", "fragenid", "fragennummer", "frageno", "fragenr", "fragenum", "fragenumber", "fragenummer", "frageuid", "frageuuid", "guid", "idaufgabe", "iddelaquestion", "iddomanda", "idejemplo", "identifiant", "identificador", "identificatore", "identifikator", "idexemple", "idfrage", "iditem", "idotazky", "idpergunta", "idpregunta", "idpytania", "idquestion", "idvraag", "idвопроса", "inputid", "inputidx", "inputindex", "inputkey", "inputno", "inputnr", "inputnum", "inputnumber", "inputuid", "inputuuid", "instanceid", "instanceidx", "instanceindex", "instancekey", "instanceno", "instancenr", "instancenum", "instancenumber", "instanceuid", "instanceuuid", "itemid", "itemidx", "itemindex", "itemkey", "itemno", "itemnr", "itemnum", "itemnumber", "itemuid", "itemuuid", "kennung", "noaufgabe", "nodomanda", "noejemplo", "noexemple", "nofrage", "noitem", "nopregunta", "noquestion", "nraufgabe", "nrdomanda", "nrejemplo", "nrexemple", "nrfrage", "nritem", "nrpergunta", "nrpregunta", "nrpytania", "nrquestion", "nrvraag", "numaufgabe", "numdomanda", "numejemplo", "numeroaufgabe", "numerodomanda", "numeroejemplo", "numeroexemple", "numerofrage", "numeroitem", "numeropergunta", "numeropregunta", "numeroquestion", "numerpytania", "numexemple", "numfrage", "numitem", "nummervraag", "numpregunta", "numquestion", "otazkaid", "perguntaid", "preguntaid", "preguntaidx", "preguntaindex", "preguntakey", "preguntano", "preguntanr", "preguntanum", "preguntanumber", "preguntauid", "preguntauuid", "problemid", "problemidx", "problemindex", "problemkey", "problemno", "problemnr", "problemnum", "problemnumber", "problemuid", "problemuuid", "promptid", "promptidx", "promptindex", "promptkey", "promptno", "promptnr", "promptnum", "promptnumber", "promptuid", "promptuuid", "pytanieid", "qid", "queryid", "queryidx", "queryindex", "querykey", "queryno", "querynr", "querynum", "querynumber", "queryuid", "queryuuid", "questionid", "questionidx", "questionindex", "questionkey", "questionno", "questionnr", "questionnum", "questionnumber", "questionuid", "questionuuid", "recordid", "recordidx", "recordindex", "recordkey", "recordno", "recordnr", "recordnum", "recordnumber", "recorduid", "recorduuid", "rowid", "sampleid", "sampleidx", "sampleindex", "samplekey", "sampleno", "samplenr", "samplenum", "samplenumber", "sampleuid", "sampleuuid", "statementid", "statementidx", "statementindex", "statementkey", "statementno", "statementnr", "statementnum", "statementnumber", "statementuid", "statementuuid", "taskid", "taskidx", "taskindex", "taskkey", "taskno", "tasknr", "tasknum", "tasknumber", "taskuid", "taskuuid", "testid", "ticketid", "ticketidx", "ticketindex", "ticketkey", "ticketno", "ticketnr", "ticketnum", "ticketnumber", "ticketuid", "ticketuuid", "topicid", "topicidx", "topicindex", "topickey", "topicno", "topicnr", "topicnum", "topicnumber", "topicuid", "topicuuid", "uid", "uuid", "vraagid", "vraagnr", "vraagnummer", "вопросid", "номервопроса", "問題id", "問題番号", "質問id", "質問番号", "问题编号", "题号"], "outcome": ["acceptability", "acceptable", "accepted", "acerto", "acertou", "acierto", "answeraccurate", "answercorrect", "answercorrectness", "answeredcorrectly", "answeriscorrect", "answerright", "autocorrect", "autograde", "autojudgement", "autojudgment", "autolabel", "autoverdict", "bestanden", "bewertung", "certo", "correct", "correcta", "correcte", "correctedverdict", "correctflag", "correctlyanswered", "correctness", "correctnesslabel", "correcto", "correta", "correto", "corretta", "corretto", "czypoprawna", "ecorrect", "ecorrecta", "ecorrecte", "ecorrecto", "ecorreto", "ecorretta", "ecorretto", "eexact", "eexacte", "ejuste", "ekorrekt", "erichtig", "esatto", "escorrect", "escorrecta", "escorrecte", "escorrecto", "escorretta", "escorretto", "esexact", "esexacte", "esjuste", "eskorrekt", "esrichtig", "estcorrect", "estcorrecta", "estcorrecte", "estcorrecto", "estcorretta", "estcorretto", "estexact", "estexacte", "estjuste", "estkorrekt", "estrichtig", "evaluationresult", "factual", "factuality", "finalcorrect", "finalgrade", "finaljudgement", "finaljudgment", "finallabel", "finalverdict", "gelost", "giudizio", "giusto", "gradedcorrect", "gradercorrect", "gradergrade", "graderjudgement", "graderjudgment", "graderlabel", "graderverdict", "hit", "hodnoceni", "human", "humancorrect", "humangrade", "humanjudgement", "humanjudgment", "humanlabel", "humanverdict", "isacceptable", "isaccepted", "isaccurate", "isanswercorrect", "iscorrect", "iscorreto", "isfactual", "isgoed", "isjuist", "ismatch", "ismatched", "isright", "issolved", "issuccess", "istcorrect", "istcorrecta", "istcorrecte", "istcorrecto", "istcorretta", "istcorretto", "istexact", "istexacte", "istjuste", "istkorrekt", "istrichtig", "istrue", "istruthful", "isverified", "jespravne", "judgecorrect", "judgegrade", "judgejudgement", "judgejudgment", "judgelabel", "judgement", "judgeverdict", "judgment", "jugement", "juicio", "juist", "juste", "korrekt", "korrektheit", "llmcorrect", "llmgrade", "llmjudgement", "llmjudgment", "llmlabel", "llmverdict", "manualcorrect", "manualgrade", "manualjudgement", "manualjudgment", "manuallabel", "manualverdict", "matched", "matches", "modelcorrect", "outcome", "outputaccurate", "outputcorrect", "outputiscorrect", "outputright", "pass", "passed", "passes", "poprawna", "poprawnie", "predcorrect", "predictionaccurate", "predictioncorrect", "predictioncorrectness", "predictioniscorrect", "predictionright", "ratercorrect", "ratergrade", "raterjudgement", "raterjudgment", "raterlabel", "raterverdict", "reponsecorrecte", "reponseexacte", "reponsejuste", "resolu", "resolved", "responseaccurate", "responsecorrect", "responsecorrectness", "responseiscorrect", "responseright", "respostacerta", "respostacorreta", "respuestaacertada", "respuestacorrecta", "resultcorrect", "reussi", "reussie", "richtig", "right", "rispostacorretta", "rispostaesatta", "rispostagiusta", "solved", "spravne", "spravnost", "succeeded", "success", "truthful", "truthfulness", "urteil", "valid", "verdetto", "verdict", "verdikt", "veredicto", "verified", "vysledek", "wasaccepted", "wasaccurate", "wascorrect", "wasright", "wastrue", "верно", "правильно", "判定", "判定結果", "回答正确", "对错", "是否正确", "正确", "正解か", "正誤", "評価", "評価結果"]};
  const squash = (name) => (name.replace(/\([^)]*\)|\[[^\]]*\]/g, "") || name).normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  /** The place of the column that plays a part by its name: by that of the part itself, or as the only one that is called so. */
  const named = (header, part) => {
    const own = header.indexOf(part), called = header.map((name, i) => [squash(name), i]).filter(([name]) => NAMES[part].includes(name));
    return own >= 0 ? own : called.length === 1 ? called[0][1] : -1;
  };
  // What these columns say changes the figures, and the page does not compute it.
  const BEYOND = { repeat: "questions that were asked several times", rank: "several answers to one question" };
  const TRUTHS = { true: true, 1: true, "1.0": true, false: false, 0: false, "0.0": false };
  const shown = (text) => JSON.stringify(text.length > 60 ? text.slice(0, 60) + "…" : text);

  /** The text of a file: UTF-8, or what its first bytes say. */
  const decode = (bytes) => {
    if (bytes.length > MOST_BYTES) fail(`the file has more than ${MOST_BYTES / 1e6} MB; nescio itself reads it`);
    const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
    let text;
    try { text = new TextDecoder(mark, { fatal: true }).decode(bytes); } catch { fail("the file is not text in UTF-8; save it as UTF-8, or as a CSV file in UTF-8"); }
    if (text.includes("\0")) fail("the file holds NUL characters, so it is no table in text");
    return text;
  };

  const objects = (text) => {
    const lines = [], found = [];
    const take = (value, line) => {
      if (value === null || typeof value !== "object" || Array.isArray(value)) fail("each row must be an object such as {\"run\": …, \"question\": …, \"outcome\": …}", line);
      found.push(value); lines.push(line);
    };
    const parsed = (part, line) => { try { return JSON.parse(part); } catch (error) { return fail(`this is not valid JSON (${error.message})`, line); } };
    if (unit === "Row") parsed(text, 0).forEach((value, i) => take(value, i + 1));
    else text.split(/\r?\n/).forEach((part, i) => { if (part.trim()) take(parsed(part, i + 1), i + 1); });
    const header = [...new Set(found.slice(0, 1000).flatMap(Object.keys))];
    const cell = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
    return { header, rows: found.map((value) => header.map((name) => cell(Object.hasOwn(value, name) ? value[name] : ""))), lines };
  };

  const SEPARATORS = { ",": "comma", ";": "semicolon", "\t": "tab" };
  const cells = (text, separator) => {
    const rows = [], lines = [];
    let at = 0, line = 1, row = [], begun = 1;
    const end = () => { if (row.length > 1 || row[0] !== "") { rows.push(row); lines.push(begun); } row = []; begun = line; };
    while (at <= text.length) {
      if (text[at] === '"') {
        let value = "", from = at + 1;
        for (;;) {
          const quote = text.indexOf('"', from);
          if (quote < 0) fail("a quotation mark is opened and never closed", begun);
          value += text.slice(from, quote);
          from = quote + 2;
          if (text[quote + 1] !== '"') { at = quote + 1; break; }
          value += '"';
        }
        for (let i = value.indexOf("\n"); i >= 0; i = value.indexOf("\n", i + 1)) line++;
        row.push(value);
        if (at < text.length && text[at] !== separator && text[at] !== "\n" && text[at] !== "\r") fail("text follows a closing quotation mark", line);
      } else {
        let to = at;
        while (to < text.length && text[to] !== separator && text[to] !== "\n" && text[to] !== "\r") to++;
        row.push(text.slice(at, to));
        at = to;
      }
      if (text[at] === separator) { at++; continue; }
      if (text[at] === "\r" && text[at + 1] === "\n") at++;
      if (at < text.length) line++;
      end();
      at++;
      if (at >= text.length) break;
    }
    return { header: (rows.shift() ?? []).map((name) => name.trim()), rows, lines: lines.slice(1) };
  };
  const even = ({ header, rows }) => header.length > 1 && rows.every((row) => row.length === header.length);
  /** The table of a text, or what has to be asked: which character separates its columns. */
  const table = (text, choices) => {
    unit = text.trimStart()[0] === "[" ? "Row" : "Line";
    if (!text.trim()) fail("there is nothing in it");
    if ("[{".includes(text.trimStart()[0])) return { table: objects(text) };
    const body = text.replace(/^\ufeff/, ""), first = body.slice(0, body.search(/[\r\n]|$/));
    const possible = Object.keys(SEPARATORS).filter((one) => first.includes(one));
    if (!possible.length) fail("its first line has one column only; a table has a first line such as run,question,outcome", 1);
    if (possible.length === 1) return { table: cells(body, possible[0]) };
    const made = new Map(possible.map((one) => { try { return [one, cells(body, one)]; } catch { return [one, null]; } }));
    const fit = possible.filter((one) => made.get(one) && even(made.get(one)));
    const own = fit.filter((one) => WORDS.every((word) => made.get(one).header.includes(word)) || Object.keys(PARTS).every((part) => named(made.get(one).header, part) >= 0));
    const chosen = own.length === 1 ? own[0] : fit.length === 1 ? fit[0] : choices.separator;
    const ask = own.length === 1 || fit.length === 1 ? [] : [{ id: "separator", text: "Which character separates the columns?", options: (fit.length ? fit : possible).map((one) => [one, SEPARATORS[one]]) }];
    return { ask, table: chosen ? made.get(chosen) ?? cells(body, chosen) : null };
  };

  const count = (text, line, what) => (/^\d{1,12}$/.test(text.trim()) ? Number(text) : fail(`${what} must be a whole number (found ${shown(text)})`, line));
  const counts = ({ header, rows, lines }) => {
    const places = WORDS.map((word) => header.indexOf(word)), name = header.indexOf("run"), others = header.indexOf("n");
    const runs = rows.map((row, i) => ({ name: name < 0 ? `run ${i + 1}` : row[name], counts: [...places.map((at, k) => count(row[at] ?? "", lines[i], WORDS[k])), 0] }));
    runs.forEach((run, i) => {
      const n = run.counts.reduce((a, b) => a + b);
      if (!n) fail("there is not a single question", lines[i]);
      if (others >= 0 && count(rows[i][others], lines[i], "n") !== n) fail(`n is ${rows[i][others]}, and the three counts add up to ${n}`, lines[i]);
      if (runs.findIndex((one) => one.name === run.name) < i) fail(`run ${shown(run.name)} appears twice`, lines[i]);
    });
    return { runs };
  };

  /** Everything that a text says: `runs` with their counts (and `cells` by question), the `asks` that are open or answered, notes and options of the command line. */
  const read = (text, choices = {}) => {
    const { table: found, ask: asks = [] } = table(text, choices), notes = [], options = [], asked = [...asks];
    if (!found) return { asks, open: 1 };
    const { header, rows, lines } = found;
    if (new Set(header).size < header.length) fail(`two columns are called ${shown(header.find((name, i) => header.indexOf(name) < i))}`, 1);
    if (!rows.length) fail("there are names of columns, and no row below them");
    rows.forEach((row, i) => { if (row.length !== header.length) fail(`this row has ${row.length} cells, and the first line has ${header.length}`, lines[i]); });
    if (WORDS.every((word) => header.includes(word)) && !header.includes("outcome")) return { ...counts(found), asks, open: 0, notes, options, counts: true };
    if (header.some((name) => WORDS.includes(name)) && !header.includes("outcome")) fail("the first line must name the columns, such as run,question,outcome", 1);
    for (const [name, what] of Object.entries(BEYOND)) if (header.includes(name)) fail(`the column ${shown(name)} means ${what}, which this page does not compute; nescio does`);
    const ask = (id, text, values, known) => { // what is certain is not asked
      if (known !== undefined) return known;
      asked.push({ id, text, options: values });
      return choices[id] !== undefined && values.some(([value]) => value === choices[id]) ? choices[id] : undefined;
    };
    const columns = header.map((name, i) => [String(i), name || `column ${i + 1} (no name)`]);
    const place = {};
    for (const [part, question] of Object.entries(PARTS)) {
      const known = named(header, part), values = part === "run" ? [["-", "none: the table is of one run"], ...columns] : columns;
      place[part] = ask(part, question, values, known < 0 ? undefined : String(known));
      if (known < 0 && place[part] !== undefined) options.push("--column", `${part}=${place[part] === "-" ? "-" : header[place[part]]}`);
    }
    if (Object.values(place).includes(undefined)) return { asks: asked, open: 1 };
    const parts = Object.values(place).filter((column) => column !== "-");
    if (new Set(parts).size < parts.length) fail("one column cannot play two parts; choose another one");
    // --- what the words mean
    const words = new Map(), MEANINGS = [...WORDS.map((word) => [word, word]), ["stop", "none of these: it was not judged"]];
    for (const row of rows) words.set(row[place.outcome], (words.get(row[place.outcome]) ?? 0) + 1);
    if (words.size > MOST_WORDS) fail(`the column ${shown(header[place.outcome])} holds ${words.size.toLocaleString("en")} different texts, and no few words that say what became of an answer; choose another one`);
    const states = new Map();
    for (const [word, many] of words) {
      const own = WORDS.includes(word.trim()) ? word.trim() : undefined;
      const meaning = ask("word " + word, `What does ${word.trim() ? shown(word) : "an empty cell"} mean (${many.toLocaleString("en")} ${many === 1 ? "row" : "rows"})?`, MEANINGS, own);
      states.set(word, WORDS.indexOf(meaning));
      if (own === undefined && meaning && meaning !== "stop") options.push("--outcome-map", `${word}=${meaning}`);
    }
    const unjudged = asked.filter(({ id }) => id.startsWith("word ") && choices[id] === "stop");
    if (unjudged.length) return { asks: asked, open: 1, problem: "Answers that nobody judged are neither right nor wrong nor silent. nescio leaves them out, or reports both extremes, with --ungraded; or it judges them itself (nescio judge)." };
    if ([...states.values()].includes(-1)) return { asks: asked, open: 1 };
    // --- a cell for each run and question
    const runs = new Map(), questions = new Map(), kinds = new Map(), groups = new Map(), seen = [];
    const number = (map, key) => { let found = map.get(key); if (found === undefined) map.set(key, (found = map.size)); return found; };
    const answerable = header.indexOf("answerable"), cluster = header.indexOf("cluster"), constant = (map, q, value, name, line) => { if (map.has(q) && map.get(q) !== value) fail(`${name} differs between rows of one question`, line); map.set(q, value); };
    rows.forEach((row, i) => {
      const run = place.run === "-" ? "the table" : row[place.run];
      if (!run.trim() || !row[place.question].trim()) fail(`the ${run.trim() ? "question" : "run"} is empty`, lines[i]);
      const q = number(questions, row[place.question]);
      seen.push([number(runs, run), q, states.get(row[place.outcome])]);
      if (answerable >= 0) {
        const word = row[answerable].trim().toLowerCase(), truth = word === "" ? true : TRUTHS[word];
        if (truth === undefined) fail(`answerable must be true or false (found ${shown(row[answerable])})`, lines[i]);
        constant(kinds, q, truth, "answerable", lines[i]);
      }
      if (cluster >= 0) constant(groups, q, row[cluster], "cluster", lines[i]);
    });
    const R = runs.size, Q = questions.size, NONE = 255;
    if (R * Q > MOST_CELLS) fail(`${R.toLocaleString("en")} runs and ${Q.toLocaleString("en")} questions are too many for a page; nescio itself reads them`);
    const table_ = new Uint8Array(R * Q).fill(NONE), before = new Int32Array(R * Q);
    seen.forEach(([r, q, state], i) => {
      if (table_[r * Q + q] !== NONE) fail(`question ${shown(rows[i][place.question])} of run ${shown([...runs.keys()][r])} appears twice; first on ${unit.toLowerCase()} ${lines[before[r * Q + q]].toLocaleString("en")}`, lines[i]);
      table_[r * Q + q] = state;
      before[r * Q + q] = i;
    });
    const unanswerable = [...kinds.values()].filter((truth) => !truth).length;
    let silence = "correct";
    if (unanswerable) {
      silence = ask("unanswerable", `${unanswerable.toLocaleString("en")} of ${Q.toLocaleString("en")} questions have no answer (column answerable). What is silence about them?`, [["correct", "correct, and every answer to them incorrect (as nescio takes it by itself)"], ["exclude", "leave these questions out"]]);
      if (silence === undefined) return { asks: asked, open: 1 };
      if (silence === "exclude") options.push("--unanswerable", "exclude");
    }
    const used = [...Array(Q).keys()].filter((q) => silence !== "exclude" || kinds.get(q) !== false), lacking = [...runs.keys()].map((_, r) => used.filter((q) => table_[r * Q + q] === NONE).length);
    let kept = used;
    if (lacking.some(Boolean)) {
      const which = lacking.findIndex(Boolean), many = lacking.filter(Boolean).length;
      const way = ask("missing", `${shown([...runs.keys()][which])} lacks ${lacking[which].toLocaleString("en")} of ${used.length.toLocaleString("en")} questions${many > 1 ? `, and ${many - 1} more of the runs lack some` : ""}. What is a question that a run lacks?`, [["unanswered", "unanswered"], ["common", "left out, for all runs"]]);
      if (way === undefined) return { asks: asked, open: 1 };
      options.push("--missing", way);
      if (way === "common") kept = used.filter((q) => [...runs.keys()].every((_, r) => table_[r * Q + q] !== NONE));
      else notes.push(`${lacking.reduce((a, b) => a + b).toLocaleString("en")} missing answers count as unanswered.`);
      if (!kept.length) fail("there is no question that all runs have");
    }
    if (!kept.length) fail("no question is left");
    const made = [...runs.keys()].map((name, r) => {
      const cells = Uint8Array.from(kept, (q) => { const state = table_[r * Q + q] === NONE ? 2 : table_[r * Q + q]; return kinds.get(q) === false ? (state === 2 ? RIGHT_BY_SILENCE : 1) : state; });
      const counts = [0, 0, 0, 0];
      cells.forEach((state) => counts[state]++);
      return { name, counts, cells };
    });
    return { runs: made, groups: cluster < 0 ? null : kept.map((q) => groups.get(q)), asks: asked, open: 0, notes, options };
  };

  return { decode, read, Problem };
})();
