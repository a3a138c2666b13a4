"use strict";
// One item a screen. What an assessor says is a list of records that only grows: the newest of an item is what holds, so
// that two tabs, two computers and an old page can never take anything from each other.
const page = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const VERDICTS = { R: "Right", W: "Wrong", X: "Inexact", U: "Unsupported" };
const ASKED = { answer: "Answer", second: "Now you know what the judge says. Answer", sentences: "Which sentences answer this? Question", nuggets: "List the nuggets. Target" };
const STORY = "\n¶ "; // between a question and its story
const isAnswer = (item) => item.kind === "answer" || item.kind === "second";
const items = page.items;
const home = `${page.home}/${page.assessor}`;
const records = new Map(); // by id
const newest = new Map(); // by item, of what no server refused
const turnedDown = new Map(); // by item, the newest that a server refused
const pending = new Map(); // what is not on the disk yet
const bare = ({ sent, draft, refused, ...record }) => record; // without what only this browser needs to know
let at = 0;
let done = []; // what undo takes back, the last last
let draft = null; // the list of nuggets that is being written
let last = ""; // what was drawn last
let stopped = ""; // why this page accepts no more judgements
const READ = 300; // milliseconds that an answer is on the screen before it can be judged

// ---- what was said ----

const NOTHING = { verdict: "", comment: "", mark: "" };
const saidIn = ({ verdict, comment, mark, texts }) => ({ verdict, comment, mark, texts });
const byTime = (a, b) => (a.at < b.at ? -1 : 1);
const byId = new Map();
function itemOf(id) {
  if (byId.size < items.length) items.forEach((one) => byId.set(one.id, one));
  return byId.get(id) || {};
}

// As `still_holds` in shown_texts.py, and for the adjudicator as in handed_in.py.
function holds(kind, verdict, then, now) {
  if (kind === "nuggets" || then === now) return true;
  const [was, named] = then.split("+");
  const [is, listed] = now.split("+");
  const both = page.own_key && named && listed; // A list that an assessor changes takes back no verdict.
  if (was === is && (!both || named === listed)) return true;
  const [question, ...had] = was.split("-");
  const [asked, ...has] = is.split("-");
  if (question !== asked || kind === "sentences" || page.assessor === "adjudication") return false;
  const within = (some, all) => some.every((one) => all.includes(one));
  if (both && verdict) {
    const there = listed.split(",");
    const numbers = ["-", ...there.map((nugget) => nugget.split("=")[0])];
    if (!within(there, named.split(",")) || !within(verdict.split(","), numbers)) return false;
  }
  if (verdict === "R") return within(had, has);
  return verdict !== "U" || within(has, had);
}

// What was said by other texts, and does not hold for these, is as not said. A server takes it back itself, and who has
// judged on a page of a later pool need not judge on this one.
function valid(item, state) {
  const { kind, texts } = itemOf(item);
  if (page.server || state.pool > page.pool || !texts || !state.texts || holds(kind, state.verdict, state.texts, texts)) return state;
  return { ...state, verdict: "", mark: state.mark === "skip" ? "" : state.mark, texts };
}
const stateOf = (item) => valid(item, newest.get(item) || NOTHING);
const isDone = (item) => Boolean(stateOf(item.id).verdict) || stateOf(item.id).mark === "skip";

function take(record) {
  const old = records.get(record.id);
  if (old && old.at >= record.at) return false;
  records.set(record.id, record);
  rank(record);
  return true;
}

function rank(record) {
  const among = record.refused ? turnedDown : newest;
  const held = among.get(record.item);
  if (!held || record.at >= held.at) among.set(record.item, record);
}

// A server refused a judgement, so that what was said before it holds.
function turnDown(record, why) {
  Object.assign(record, { sent: true, refused: why });
  rank(record);
  if (newest.get(record.item) !== record) return;
  newest.delete(record.item);
  for (const one of records.values()) if (one.item === record.item && !one.refused) rank(one);
}

// A refusal is shown until the person says something new on this answer.
const refusalOf = (item) => {
  const record = turnedDown.get(item);
  return record && !((newest.get(item) || {}).at > record.at) ? record : null;
};
function complain() {
  const all = [...turnedDown.keys()].map(refusalOf).filter(Boolean);
  trouble(all.length ? `Not accepted: ${all.length} (${all[0].refused})` : "");
}
const acceptedAt = () => Math.max(...[...records.values()].filter((one) => !one.refused && (one.sent || !page.server)).map((one) => Date.parse(one.at)));

function say(item, change, undoes = false, again = false) {
  if (stopped) return false;
  const old = stateOf(item);
  const next = { verdict: old.verdict, comment: old.comment, mark: old.mark, ...change };
  const same = next.verdict === old.verdict && next.comment === old.comment && next.mark === old.mark;
  if (same && !again) return false;
  // Never before what was said last, whatever the clock does.
  const before = [old, turnedDown.get(item)].map((one) => (one && one.at ? Date.parse(one.at) + 1 : 0));
  const time = Math.max(Date.now(), ...before);
  const { verdict, comment, mark } = next;
  const record = { id: fresh(), item, at: new Date(time).toISOString(), verdict, comment, mark, pool: page.pool, guidelines: page.guidelines };
  // The texts are those of the verdict: whoever only flags, comments or undoes does not judge the present ones.
  const repeats = verdict && verdict === old.verdict;
  const { texts } = "texts" in change ? change : repeats ? old : itemOf(item);
  if (texts) record.texts = texts; // A verdict by texts that have changed since may be refused.
  if (page.server && old.id) record.after = old.id; // What it replaces counts no more, whatever the clocks of servers say.
  if (!undoes && !same) done.push({ item, before: saidIn(old) });
  take(record);
  keep(record);
  if (draft && draft.item === item) draft.from = newest.get(item);
  return true;
}

// Who has seen the judge's grade changes their first verdict no more, as it would no longer be their own; the refusal is
// shown until they move on, also when the page is drawn anew.
let refused = "";
function stays(item, verdict) {
  if (!items.some((one) => one.id === `second:${item}`) || stateOf(item).verdict === verdict) return false;
  refused = "You have seen the judge's grade, so your first verdict stays. Give your second verdict on the next screen (→).";
  $("state").textContent = refused;
  return true;
}

function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// ---- kept in the browser: said to be saved only when it is on the disk ----

let database = null;
let writing = Promise.resolve();
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`nescio ${home}`) : null;

function opened() {
  if (!database) {
    database = new Promise((resolve, reject) => {
      const request = indexedDB.open("nescio", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("records", { keyPath: "id" }).createIndex("home", "home");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    database.catch(() => { database = null; });
  }
  return database;
}

function transaction(mode, work) {
  return opened().then((held) => new Promise((resolve, reject) => {
    const change = held.transaction("records", mode, { durability: "strict" });
    const result = work(change.objectStore("records"));
    change.oncomplete = () => resolve(result && result.result);
    change.onabort = change.onerror = () => reject(change.error || new Error("the browser stored nothing"));
  }));
}

function keep(record) {
  pending.set(record.id, record);
  store();
}

function store() {
  tell("saving …", "waiting");
  writing = writing.then(async () => {
    const batch = [...pending.values()];
    if (!batch.length) return settled();
    try {
      await transaction("readwrite", (held) => batch.forEach((record) => held.put({ ...record, home })));
      for (const record of batch) if (pending.get(record.id) === record) pending.delete(record.id);
      if (channel) channel.postMessage("more");
      settled();
    } catch (error) {
      if (error && error.name === "InvalidStateError") database = null;
      tell(`NOT SAVED: ${pending.size}`, "lost");
      trouble(`This browser cannot save (${error && error.name === "QuotaExceededError" ? "its storage is full" : (error && error.message) || "no reason given"}). `
        + "Leave this page open and press Hand in: the file then holds everything.");
    }
  });
  return writing;
}

function settled() {
  if (pending.size) return;
  complain();
  if (page.server) send();
  else if (records.size) tell(`saved ${clock(new Date())}`, "");
}

setInterval(() => {
  if (typed && Date.now() - Date.parse(typed.at) > 4000) flush();
  if (pending.size) store();
  else if (page.server && unsent().length) send();
  if (page.server && ready && !items[at]) fill();
}, 4000);

// What is being typed is one record, written anew after every key, until it is left: no other tab may send it before.
const tab = fresh();

// A draft of a tab that is gone is said once more, under an id of its own; one that is still typed in gets newer.
function adopt() {
  for (const record of [...newest.values()].filter((one) => one.draft && one.draft !== tab)) {
    const copy = { ...record, id: fresh(), at: new Date(Date.parse(record.at) + 1).toISOString() };
    delete copy.draft;
    take(copy);
    keep(copy);
  }
}

async function load() {
  try {
    const held = await transaction("readonly", (store) => store.index("home").getAll(home));
    let more = 0;
    for (const { home: _, ...record } of held.sort(byTime)) {
      const here = records.get(record.id);
      if (here && here.at === record.at && !record.draft) delete here.draft;
      more += take(record);
    }
    return more;
  } catch (error) {
    trouble(`This browser cannot save (${(error && error.message) || error}): private windows and some settings forbid it. `
      + "Use another browser, or press Hand in before you close this page.");
    tell("NOT SAVED", "lost");
    return 0;
  }
}

// ---- sent to a server, where there is one; what it acknowledges is on its disk ----

const unsent = () => (page.server ? [...records.values()].filter((record) => !record.sent && !record.draft) : []);
let sending = null;
let savedAt = null; // when the server last accepted a judgement

function send() {
  sending = sending || empty().finally(() => { sending = null; draw(); });
  return sending;
}

async function empty() {
  try {
    let most = 200;
    for (let batch = unsent().slice(0, most); batch.length; batch = unsent().slice(0, most)) {
      let answer;
      try {
        answer = await ask("judgements", { records: batch.map(bare), sent: new Date().toISOString() });
      } catch (error) {
        if (![413, 422].includes(error.status)) throw error;
        most = Math.max(1, batch.length >> 1); // one that cannot be taken does not hold the others back
        if (batch.length > 1) continue;
        answer = { saved: [], refused: [{ id: batch[0].id, why: error.message }] };
      }
      answer.saved.forEach((id) => { records.get(id).sent = true; });
      answer.refused.forEach(({ id, why }) => turnDown(records.get(id), why));
      answer.refused.filter(({ again }) => again).forEach(({ id }) => reopen(records.get(id).item));
      if (answer.saved.length) savedAt = new Date();
      if (answer.refused.length) lookAgain();
      await transaction("readwrite", (held) => batch.forEach((record) => held.put({ ...records.get(record.id), home })));
    }
    if (typed) tell("kept in this browser while you type", "waiting");
    else tell(savedAt ? `saved ${clock(savedAt)}` : "", "");
  } catch (error) {
    tell(`not sent yet: ${unsent().length}, kept in this browser`, "waiting");
    if (error.status) trouble(error.message);
  }
}

// Who is at the end already goes back to what was not accepted.
function lookAgain() {
  complain();
  page.server.last = false;
  setTimeout(fill);
}

// The texts of an item changed after it was shown: its present texts are fetched, and it is to be judged again.
function reopen(item) {
  const shown = items.find((one) => one.id === item); // It is not there yet if the page was opened again.
  if (shown) shown.changed = true;
  say(item, { verdict: "", mark: "" }, true);
}

async function ask(path, body) {
  if (stopped) throw new Error(stopped);
  const headers = { "X-CSRF-Token": page.server.token }; // It says for whom this page was made.
  const how = body ? { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${page.server.api}/${path}`, how);
  const text = await response.text();
  let answer = {};
  try { answer = JSON.parse(text); } catch { /* said by the status */ }
  if (response.status === 403 && typeof answer.detail === "string") {
    stop(answer.detail);
    throw new Error(stopped);
  }
  if (!response.ok) {
    const error = new Error(typeof answer.detail === "string" ? answer.detail : `the server says ${response.status}`);
    error.status = response.status;
    throw error;
  }
  return answer;
}

// The browser is somebody else's now. What is not sent yet stays in the browser, among the records of this page's person.
function stop(why) {
  flush();
  stopped = `This page accepts no more judgements: ${why}. Judgements that were not sent yet stay in this browser for ${page.assessor}, and your own link sends them.`;
  for (const part of $("work").children) part.hidden = part.id !== "question";
  $("question").textContent = "This page has stopped";
  trouble("");
}

// A server whose database was restored may lack a judgement that it once had. It gets the judgement once more; if it has
// it after all, that changes nothing.
const resent = new Set();
function isLost(own, held) {
  if (!own.sent || own.refused || resent.has(own.id) || (held && (held.id === own.id || held.at >= own.at))) return false;
  resent.add(own.id);
  return true;
}

// Only a server that was told everything knows what is left; false: it was not, or does not answer.
async function more() {
  try {
    if (unsent().length) await send();
    const told = !unsent().length;
    const held = records.size;
    let here = items.filter(isDone).length;
    const before = new Map(newest);
    const answer = await ask("next");
    const lost = [];
    const since = records.size - held; // said while it answered
    Object.assign(page.nuggets, answer.nuggets || {});
    const known = new Map(items.map((item) => [item.id, item]));
    for (const item of answer.items) {
      const first = item.kind === "second" ? items.findIndex((one) => `second:${one.id}` === item.id) : -1;
      if (known.has(item.id)) Object.assign(known.get(item.id), item);
      else items.splice(first < 0 ? items.length : first + 1, 0, item);
      if (!known.has(item.id) && first >= 0 && first < at) at += 1;
      const own = newest.get(item.id);
      if (told && own && own === before.get(item.id) && isLost(own, item.held)) lost.push(own);
      if (item.held) {
        const held = { ...item.held, sent: true };
        // What the server took back has the time of the verdict, which may come back a moment earlier.
        if (told && own && own.sent && own === before.get(item.id) && own.id !== held.id && held.at < own.at) held.at = own.at;
        take(held);
      }
      if (!known.has(item.id)) here += isDone(item);
    }
    if (lost.length) {
      for (const own of lost) own.sent = false;
      return more(); // which sends them first
    }
    if (told) page.server.before = answer.judged - here;
    page.server.last = told && !since && !answer.items.some((item) => !isDone(item));
    return told;
  } catch (error) {
    if (error.status) trouble(error.message);
    return false;
  }
}

// Gets more while one judges what is there; who waits for it is shown it.
let filling = null;
function fill() {
  if (page.server.last || filling) return filling;
  filling = more().then((told) => {
    filling = null;
    if (!waiting) draw();
    else if (upNext() !== undefined || page.server.last) show(upNext());
    else if (told) fill();
  });
  return filling;
}

// ---- what is seen ----

const clock = (time) => [time.getHours(), time.getMinutes(), time.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");

function tell(text, how) {
  $("saved").textContent = text;
  $("saved").className = how;
}

function trouble(text) {
  $("trouble").textContent = [stopped, text].filter(Boolean).join(" ");
  $("trouble").hidden = !(stopped || text);
}

function make(tag, text, more = {}) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(more)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  return element;
}

function key(letter, word) {
  const button = make("button", "", { type: "button", "data-key": letter });
  button.append(make("kbd", letter), ` ${word}`);
  return button;
}

const nuggetsOf = (item) => {
  const list = `nuggets:${item.topic}`;
  const own = items.some((one) => one.id === list) && stateOf(list).verdict; // it is gone if the campaign has another one
  return own ? JSON.parse(own).map((one) => [one.id, one.vital ? "vital" : "okay", one.text]) : page.nuggets[item.topic] || [];
};
const optionsOf = (item) => (item.kind === "sentences"
  ? item.supports.map(([, text], i) => [String(i), "", text])
  : page.names === "nuggets" ? nuggetsOf(item) : null);

// Of a string nothing can be said before its target has the list that is to be made here.
const listedFirst = (item) => nuggetsOf(item).length > 0 || !items.some((one) => one.kind === "nuggets" && one.topic === item.topic);

// Who goes by the keyboard stays at the same control, although it is drawn anew. A click leaves no focus behind, so that
// Space scrolls.
const isShown = (element) => element.isConnected && element.getClientRects().length > 0;
function keepFocus(change) {
  const had = document.activeElement;
  const held = had && had !== document.body && had.matches(":focus-visible");
  change();
  if (!held || isShown(had) || ![had, document.body, null].includes(document.activeElement)) return;
  const controls = [...$("choice").querySelectorAll("button, input")].filter(isShown);
  (controls.find((one) => had.dataset.key && one.dataset.key === had.dataset.key) || controls[0] || $("question")).focus({ preventScroll: true });
}

// What is new on the screen is announced, and cannot be judged at once: a verdict needs an action that began after it.
let face = "";
let reading = 0;
function appeared(item) {
  const now = item ? `${item.id} ${item.texts} ${item.question}` : $("question").textContent;
  if (now === face) return;
  face = now;
  clearTimeout(reading);
  if (item) {
    $("choice").setAttribute("aria-busy", "true");
    reading = setTimeout(() => $("choice").removeAttribute("aria-busy"), READ);
  }
  $("heard").textContent = item ? `${$("place").textContent}. ${$("question").textContent} ${item.answer}` : now;
}

function draw() {
  if (!ready || stopped) return;
  keepFocus(drawAll);
  appeared(items[at]);
}

function drawAll() {
  const item = items[at];
  const left = items.filter((one) => !isDone(one)).length;
  const before = page.server ? page.server.before || 0 : 0; // judged in earlier sessions, and not on this page
  const total = before + items.length;
  const judged = total - left;
  $("progress").max = Math.max(total, 1);
  $("progress").value = judged;
  $("count").textContent = page.server && !page.server.last ? `${judged} judged, more to come` : `${judged} of ${total}${pace(left)}`;
  const over = !item;
  if (over) last = "";
  for (const id of ["choice", "skip", "flag", "on", "remark"]) $(id).hidden = over;
  $("beside").hidden = over && !items.length;
  $("undo").disabled = !done.length;
  $("place").textContent = over ? "" : `${ASKED[item.kind]} ${at + 1} of ${items.length} · ${item.topic}`;
  if (over) return drawEnd();
  $("question").textContent = isAnswer(item) ? item.question.split(STORY)[0] : item.question;
  const state = stateOf(item.id);
  const changed = item.changed || Array.from(records.values()).some((one) => one.item === item.id && valid(item.id, one) !== one);
  // What is half ticked or typed stays when something else on the page is drawn anew.
  if (drawn() !== last) {
    drawItem(item);
    if (item.kind !== "nuggets") drawChoices(item, state);
    else if (!isDraftOf(item)) drawList(item); // who types goes on typing
  }
  last = drawn();
  const skipped = state.mark === "skip";
  const denied = refusalOf(item.id);
  const lost = denied && denied.verdict && !changed && item.kind !== "nuggets" ? `Not accepted: ${worded(item, denied.verdict)} (${denied.refused}). ` : "";
  $("state").textContent = refused || lost + (skipped ? `Skipped: ${state.comment}` : state.verdict && item.kind !== "nuggets"
    ? `You said ${worded(item, state.verdict)} at ${clock(new Date(state.at))}.`
    : changed && !state.verdict ? `${item.changed ? "Its question or its texts changed after they were shown to you" : "You saw another question or other texts before"}. Please judge it again.` : "");
  $("flag").setAttribute("aria-pressed", String(state.mark === "flag"));
  if (document.activeElement !== $("comment")) $("comment").value = state.comment;
}

const drawn = () => JSON.stringify([items[at], stateOf(items[at].id).id, optionsOf(items[at])]);

function drawEnd() {
  const more = page.server && !page.server.last;
  $("question").textContent = more ? "Fetching the next one …" : items.length ? "That was the last one" : "There is nothing to judge";
  $("choice").replaceChildren();
  $("state").textContent = "";
  const flagged = items.filter((item) => stateOf(item.id).mark === "flag").length;
  const skipped = items.filter((item) => stateOf(item.id).mark === "skip").length;
  $("item").replaceChildren();
  if (more) return;
  if (!items.length) {
    $("item").append(make("p", "All items have been judged, or are with somebody else. Reload this page later, or ask the organiser."));
    return;
  }
  const back = make("button", "Look at the first one again", { type: "button" });
  back.onclick = () => show(0);
  const end = items.some((item) => refusalOf(item.id)) ? "What was not accepted is not with the organiser; what you said before it is."
    : page.server ? "Thank you: everything is with the organiser once it is saved."
    : "Press Hand in, and send the file to the organiser.";
  $("item").append(make("p", `${end} ${flagged} flagged, ${skipped} skipped.`), back);
}

function worded(item, verdict) {
  if (verdict === "-") return "none";
  if (isAnswer(item) && page.names !== "nuggets") return VERDICTS[verdict].toLowerCase();
  return verdict.split(",").map((one) => (item.kind === "sentences" ? Number(one) + 1 : one)).join(", ");
}

function drawItem(item) {
  const parts = [];
  const story = isAnswer(item) ? item.question.split(STORY).slice(1).join(STORY) : "";
  if (story) parts.push(make("div", story, { className: "story", tabIndex: 0, role: "group", "aria-label": "Text that the question is about" }));
  if (isAnswer(item)) parts.push(make("div", item.answer, { className: "answer", tabIndex: 0, role: "group", "aria-label": "Answer" }));
  if (item.kind === "nuggets") {
    const strings = make("ol", "", { className: "strings", tabIndex: 0, "aria-label": "Answers of systems" });
    items.filter((one) => one.kind === "answer" && one.topic === item.topic).forEach((one) => strings.append(make("li", one.answer)));
    parts.push(make("p", "Systems said about this target:", { className: "lead" }), strings);
  }
  if (isAnswer(item) && item.supports.length) {
    const list = make("ul", "", { className: "supports", tabIndex: 0, "aria-label": "Texts that support the answer" });
    for (const [document, text] of item.supports) {
      const row = make("li", "");
      if (document) row.append(make("b", document));
      row.append(text || "(no text was given)");
      list.append(row);
    }
    parts.push(list);
  }
  for (const [verdict, comment] of item.said || []) {
    parts.push(make("p", `${worded(item, verdict)}${comment ? `: ${comment}` : ""}`, { className: "said" }));
  }
  if (item.grade) parts.push(make("p", `The judge says: ${item.grade}. Your first verdict stays; now give your second verdict.`, { className: "said" }));
  if (item.known) {
    parts.push(make("p", `${stateOf(item.id).verdict === item.known ? "Yes" : "No"}: it is ${VERDICTS[item.known].toLowerCase()}. ${item.why}`, { className: "said" }));
    parts.push(make("p", "Press → for the next one.", { className: "lead" }));
  }
  $("item").replaceChildren(...parts);
}

function drawChoices(item, state) {
  const options = optionsOf(item);
  if (!listedFirst(item)) {
    $("choice").replaceChildren(make("p", "List the nuggets of this target first.", { className: "lead" }));
    return;
  }
  const box = make("fieldset", "", { className: options ? "ticks" : "choices" });
  box.append(make("legend", options ? (item.kind === "sentences" ? "Sentences that answer" : "Nuggets in this string") : "Your verdict", { className: "hidden" }));
  if (!options) {
    for (const [letter, word] of Object.entries(VERDICTS)) {
      const button = key(letter, word);
      button.setAttribute("aria-pressed", String(state.verdict === letter));
      button.onclick = () => judge(letter);
      box.append(button);
    }
    $("choice").replaceChildren(box);
    return;
  }
  const chosen = new Set(state.verdict.split(","));
  options.forEach(([name, kind, text], i) => {
    const label = make("label", "");
    const number = item.kind === "sentences" ? i + 1 : name;
    label.append(make("input", "", { type: "checkbox", value: name, checked: chosen.has(name), "data-key": number }));
    label.append(make("span", `${number}. ${text}`));
    if (kind) label.append(make("small", kind));
    box.append(label);
  });
  const row = make("p", "", { className: "choices" });
  const these = key("Enter", "These");
  these.className = "submit";
  these.onclick = confirm;
  const none = key("N", "None");
  none.setAttribute("aria-pressed", String(state.verdict === "-"));
  none.onclick = () => judge("-");
  row.append(these, none);
  $("choice").replaceChildren(box, row);
}

function ticked() {
  return [...$("choice").querySelectorAll("input:checked")].map((box) => box.value);
}

function confirm() {
  const names = ticked();
  if (names.length) judge(names.join(","));
  else $("state").textContent = "Tick at least one, or press N for none.";
}

// A draft ends when another list came from elsewhere, or when a server refused it.
const isDraftOf = (item) => Boolean(draft) && draft.item === item.id && (draft.from || {}).id === (newest.get(item.id) || {}).id;

function drawList(item) {
  const held = stateOf(item.id).verdict;
  if (!isDraftOf(item)) draft = { item: item.id, from: newest.get(item.id), rows: held ? JSON.parse(held) : [] };
  const parts = draft.rows.map((row, i) => {
    const line = make("div", "", { className: "listed" });
    const text = make("input", "", { value: row.text, maxLength: 1000, "aria-label": `Nugget ${row.id}` });
    text.oninput = () => { row.text = text.value; type({ verdict: listed() }); };
    const kind = make("button", row.vital ? "vital" : "okay", { type: "button", "aria-label": `Nugget ${row.id} is ${row.vital ? "vital" : "okay"}; change` });
    kind.dataset.key = `kind ${row.id}`;
    kind.onclick = () => { row.vital = !row.vital; type({ verdict: listed() }); keepFocus(() => drawList(item)); };
    const used = items.filter((one) => one.kind === "answer" && one.topic === item.topic && stateOf(one.id).verdict.split(",").includes(row.id)).length;
    const gone = make("button", "Remove", { type: "button", disabled: used > 0, "aria-label": `Remove nugget ${row.id}`, title: used ? `${used} strings name this nugget` : "" });
    gone.onclick = () => { draft.rows.splice(i, 1); type({ verdict: listed() }); keepFocus(() => drawList(item)); };
    line.append(text, kind, gone);
    return line;
  });
  const add = make("button", "Add a nugget", { type: "button" });
  add.onclick = () => {
    draft.rows.push({ id: freshNumber(item), text: "", vital: true });
    drawList(item);
    [...$("choice").querySelectorAll(".listed input")].pop().focus();
  };
  const save = key("Enter", "Save the list");
  save.className = "submit";
  save.onclick = saveList;
  const row = make("p", "", { className: "choices" });
  row.append(add, save);
  $("choice").replaceChildren(...parts, row);
}

// A number names one nugget for good: that of a nugget that was removed is never given again.
function freshNumber(item) {
  const lists = [...records.values()].filter((one) => one.item === item.id && one.verdict).map((one) => JSON.parse(one.verdict));
  for (const row of [...draft.rows, ...lists.flat()]) draft.top = Math.max(draft.top || 0, Number(row.id) || 0);
  draft.top = (draft.top || 0) + 1;
  return String(draft.top);
}

function listed() {
  const rows = draft.rows.map((row) => ({ ...row, text: row.text.trim() })).filter((row) => row.text);
  return rows.length ? JSON.stringify(rows) : "";
}

function saveList() {
  if (listed()) judge(listed());
  else $("state").textContent = "A list has at least one nugget; skip the target if there is none.";
}

function pace(left) {
  const times = [...newest.values()].filter((record) => record.verdict).map((record) => Date.parse(record.at)).sort((a, b) => a - b).slice(-30);
  const gaps = times.slice(1).map((time, i) => (time - times[i]) / 1000).filter((gap) => gap < 180).sort((a, b) => a - b);
  if (gaps.length < 3 || !left) return "";
  const minutes = Math.ceil((gaps[Math.floor(gaps.length / 2)] * left) / 60);
  return ` · about ${minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`} left`;
}

// ---- what keys and buttons do ----

let waiting = false; // for items, at the end of those that are here
function show(place = items.length) {
  flush();
  const before = items[at];
  at = Math.max(0, Math.min(place, items.length));
  if (items[at] !== before) refused = "";
  waiting = at === items.length;
  draft = null;
  last = "";
  $("skipping").hidden = true;
  draw();
  window.scrollTo(0, 0);
}

function upNext() {
  const order = [...items.keys()];
  return [...order.slice(at), ...order.slice(0, at)].find((i) => !isDone(items[i])); // who waited is where the first new one is
}

function goOn() {
  show(upNext());
  if (page.server && items.filter((item) => !isDone(item)).length < 3) fill();
}

// What follows from a verdict is shown before anything else: the known one in training, the judge's in a check.
let learning = false;
async function learn() {
  const place = at;
  learning = true;
  draw();
  await writing;
  await more();
  learning = false;
  if (items[place].known) show(place);
  else goOn();
}

function judge(verdict) {
  if (!items[at] || learning) return;
  if ($("choice").hasAttribute("aria-busy")) {
    refused = "That was too fast: this had just appeared. Please judge it now.";
    $("state").textContent = refused;
    return;
  }
  flush();
  if (stays(items[at].id, verdict)) return;
  refused = "";
  const mark = stateOf(items[at].id).mark;
  // The server may have a newer verdict from another computer, which this page does not show.
  const again = Boolean(page.server) && isAnswer(items[at]);
  say(items[at].id, { verdict, mark: mark === "skip" ? "" : mark, ...(mark === "skip" ? { comment: "" } : {}) }, false, again);
  draft = null;
  if (items[at].again && !items[at].known && !items.some((one) => one.id === `second:${items[at].id}`)) learn();
  else goOn();
}

function undo() {
  flush();
  const last = done.pop();
  if (!last) return;
  const before = valid(last.item, last.before);
  if (stays(last.item, before.verdict)) { $("undo").disabled = !done.length; return; }
  say(last.item, before, true);
  const place = items.findIndex((item) => item.id === last.item);
  show(place < 0 ? at : place);
  $("state").textContent = `Taken back. ${$("state").textContent}`;
}

function flag() {
  if (!items[at]) return;
  const mark = stateOf(items[at].id).mark;
  if (mark === "skip") return;
  say(items[at].id, { mark: mark === "flag" ? "" : "flag" });
  draw();
}

let typed = null;
function type(change) {
  const item = items[at].id;
  if (typed && newest.get(item) === typed) {
    typed = { ...typed, ...change, at: new Date(Math.max(Date.now(), Date.parse(typed.at) + 1)).toISOString() };
    records.set(typed.id, typed);
    newest.set(item, typed);
    keep(typed);
  } else if (say(item, change)) {
    typed = newest.get(item);
    typed.draft = tab;
  }
  last = drawn();
}
function flush() {
  if (!typed) return;
  delete typed.draft;
  keep(typed);
  typed = null;
}
$("comment").addEventListener("input", () => type({ comment: $("comment").value }));
$("comment").addEventListener("blur", flush);
document.addEventListener("visibilitychange", () => (document.hidden ? flush() : reread()));
addEventListener("beforeunload", (event) => { if (pending.size) event.preventDefault(); });

async function reread() {
  if (stopped) return;
  const before = items[at] && newest.get(items[at].id);
  if (!(await load())) return;
  const now = items[at] && newest.get(items[at].id);
  draw();
  if (now !== before) $("state").textContent = `In another tab: ${$("state").textContent || "taken back."}`;
}
if (channel) channel.onmessage = reread;

// From where the keyboard went into a text, and goes back to.
let from = null;
function enter(text) {
  const here = document.activeElement;
  from = here && here !== document.body && here.matches(":focus-visible") ? here : null;
  text.focus();
}
function leave(text, change = () => {}) {
  text.blur();
  change();
  if (from) (isShown(from) ? from : isShown($("skip")) ? $("skip") : $("question")).focus({ preventScroll: true });
  from = null;
}

function askWhy() {
  if (!items[at] || stays(items[at].id, "")) return;
  $("skipping").hidden = false;
  $("reason").value = "";
  enter($("reason"));
}
$("skipping").addEventListener("submit", (event) => {
  event.preventDefault();
  const why = $("reason").value.trim();
  if (!why) return;
  flush();
  $("skipping").hidden = true;
  say(items[at].id, { verdict: "", mark: "skip", comment: why });
  leave($("reason"), goOn);
});
const noSkip = () => leave($("reason"), () => { $("skipping").hidden = true; });

async function handIn() {
  flush();
  await writing;
  const heading = { format: "nescio judgements 1", campaign: page.campaign, assessor: page.assessor, key: page.key };
  const rows = [...records.values()].filter((one) => !one.draft).sort(byTime).map(bare);
  const text = [heading, ...rows].map((row) => `${JSON.stringify(row)}\n`).join("");
  const link = make("a", "", { href: URL.createObjectURL(new Blob([text], { type: "application/jsonl" })), download: `${page.assessor}.judgements.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  const judged = items.filter(isDone).length;
  $("state").textContent = `${link.download} holds everything that you said on this page (${judged} of ${items.length}). Send it to the organiser; you can go on and hand in again.`;
}

// As `_continues` in handed_in.py, for lists in the order of their times: whether two pages share one, or the last list of
// one has all nuggets of the other's.
function isOneList(own, theirs) {
  if (own.some((one) => theirs.some((other) => other.id === one.id))) return true;
  const plain = ({ id, text, vital }) => JSON.stringify([id, text.trim().split(/\s+/).join(" ").toLowerCase(), vital]);
  const [here, there] = [own, theirs].map((lists) => JSON.parse(lists[lists.length - 1].verdict).map(plain));
  return here.every((one) => there.includes(one)) || there.every((one) => here.includes(one));
}

// Numbers name other nuggets in a list that was begun anew here, so the list that comes in replaces it, and whoever judged
// strings by it judges them again. One that was withdrawn there replaces nothing.
function takeIn(rows) {
  const known = new Set(rows.map((record) => record.id));
  const isBegunAnew = (list) => {
    const said = [[...records.values()], rows].map((all) => all.filter((one) => one.item === list.id).sort(byTime));
    const [own, theirs] = said.map((all) => all.filter((one) => one.verdict));
    const isWithdrawn = said[1].length > 0 && !said[1][said[1].length - 1].verdict;
    return own.length && theirs.length && !isWithdrawn && !isOneList(own, theirs);
  };
  const lists = items.filter((item) => item.kind === "nuggets" && isBegunAnew(item));
  const replaced = lists.flatMap((list) => [list.id, ...list.strings]); // also strings that this page does not show
  if (lists.length) draft = null;
  const more = rows.filter(take);
  more.forEach((record) => pending.set(record.id, record));
  for (const id of replaced.filter((one) => newest.has(one) && !known.has(newest.get(one).id))) {
    const theirs = rows.filter((record) => record.item === id).sort(byTime).pop();
    say(id, theirs ? saidIn(theirs) : { verdict: "" }, true);
  }
  done = done.filter(({ item }) => !replaced.includes(item));
  return more;
}

$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  if (!file) return;
  const [first, ...rows] = (await file.text()).split("\n").filter(Boolean).map((line) => { try { return JSON.parse(line); } catch { return {}; } });
  if (!first || first.key !== page.key) { trouble("That file is not one that you handed in from a page of this campaign."); return; }
  const more = takeIn(rows.filter((record) => record.id && record.item && record.at));
  await store();
  draw();
  $("state").textContent = `${more.length} judgements added from ${file.name}.`;
});

$("hand-in").onclick = handIn;
$("undo").onclick = undo;
$("skip").onclick = askWhy;
$("no-skip").onclick = noSkip;
$("flag").onclick = flag;
$("back").onclick = () => show(at - 1);
$("on").onclick = () => show(at + 1);
$("choice").addEventListener("submit", (event) => { event.preventDefault(); });

document.addEventListener("keydown", (event) => {
  if (!ready || learning || stopped || event.ctrlKey || event.metaKey || event.altKey) return; // nobody judges what is not shown yet
  const inText = event.target.matches("textarea, input:not([type=checkbox])");
  if (event.key === "Escape") {
    if (!$("skipping").hidden) noSkip();
    else if (inText) leave(event.target);
    return;
  }
  if (inText && event.repeat && event.key === "Enter") { event.preventDefault(); return; } // a key that is held says one thing
  if (inText) {
    if (event.key === "Enter" && event.target.closest(".listed")) { event.preventDefault(); saveList(); }
    return;
  }
  const item = items[at];
  const options = item && item.kind !== "nuggets" && listedFirst(item) ? optionsOf(item) : null;
  const foreign = event.key.length === 1 && event.key > "\x7f" && !/\p{Script=Latin}/u.test(event.key); // of a Cyrillic or Greek keyboard
  const latin = foreign && /^Key([A-Z])$/.exec(event.code);
  const letter = latin ? latin[1] : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const deeds = { Z: undo, Backspace: undo, S: askWhy, F: flag, C: () => enter($("comment")), ArrowLeft: () => show(at - 1), ArrowRight: () => show(at + 1) };
  let deed;
  if (item && isAnswer(item) && page.names !== "nuggets" && letter in VERDICTS) deed = () => judge(letter);
  else if (options && letter === "N") deed = () => judge("-");
  else if (options && letter === "Enter" && !event.target.matches("button, summary, a")) deed = confirm;
  else if (options && /^[0-9]$/.test(letter)) {
    const box = [...$("choice").querySelectorAll("input[type=checkbox]")].find((one) => one.dataset.key === letter);
    deed = () => box && box.click();
  } else if (letter in deeds) deed = deeds[letter];
  const presses = ["Enter", " "].includes(event.key) && event.target.matches("button, input");
  if (event.repeat && (deed || presses) && !event.key.startsWith("Arrow")) { event.preventDefault(); return; } // held: once
  if (!deed) return;
  deed();
  event.preventDefault();
});

if (matchMedia("(max-width: 900px)").matches) $("guide").open = false;

let ready = false;
$("question").textContent = "One moment…"; // until there is something to judge, there is nothing to press
for (const id of ["beside", "remark"]) $(id).hidden = true;
$("hand-in").hidden = $("file").closest("details").hidden = Boolean(page.server); // a server has it
load().then(async () => {
  adopt();
  rebuildUndo();
  if (page.server) await more();
  else if (takeIn(items.flatMap((item) => item.collected || [])).length) store(); // the lists collected from other pages
  ready = true;
  if (!savedAt && acceptedAt() > 0) savedAt = new Date(acceptedAt());
  if (savedAt && !$("saved").textContent) tell(`saved ${clock(savedAt)}`, "");
  complain();
  const first = items.findIndex((item) => !isDone(item));
  show(first < 0 ? items.length : first);
});

// After a reload, undo takes back what was said before it: each record by the one before it of its item.
function rebuildUndo() {
  const last = new Map();
  done = [];
  for (const record of [...records.values()].filter((one) => !one.draft && !one.refused).sort(byTime)) {
    const before = last.get(record.item) || NOTHING;
    const now = saidIn(record);
    const top = done[done.length - 1];
    const same = (a, b) => a.verdict === b.verdict && a.comment === b.comment && a.mark === b.mark;
    if (top && top.item === record.item && same(top.before, now)) done.pop();
    else if (!same(before, now)) done.push({ item: record.item, before });
    last.set(record.item, now);
  }
}
