// The browser of questions: filters that the address keeps, only the rows in sight, one question at a time, scores of what is shown.
(() => {
  const { held, $, make, isolated, keep } = page;
  if (!held.browser) return;
  const called = (r) => page.nameOf?.(r, own.runs[r]) ?? isolated(own.runs[r]);

  $("questions").classList.toggle("many", held.browser.runs.length > 12); // then the rows need the whole width

  // --- what there is
  const own = held.browser, n = own.questions.length, R = own.runs.length;
  const { bytes } = unpack;
  const unpacked = (text) => { const halves = bytes(text), found = new Uint8Array(n * R); for (let i = 0; i < found.length; i++) found[i] = i & 1 ? halves[i >> 1] >> 4 : halves[i >> 1] & 15; return found; };
  const cells = unpacked(own.cells), counted = own.counted ? unpacked(own.counted) : cells; // as shown, and as scores take them: what is missing may count as silence
  const facets = own.facets.map((facet) => ({ ...facet, codes: bytes(facet.codes) }));
  const sure = own.confidence && unpack.floats(own.confidence, R), candidates = own.candidates && unpacked(own.candidates), people = own.people && unpacked(own.people);
  const WORDS = own.words ?? ["not in the run", "correct", "incorrect", "unanswered", "correct by silence", "not graded"], GLYPHS = ["", "✓", "×", "–", "○", "?", "•"];
  const scored = graded?.inGrid ? graded : null; // where cells are scores, and no outcomes
  const right = new Uint16Array(n), wrong = new Uint16Array(n), silent = new Uint16Array(n), quiet = new Uint16Array(n);
  for (let q = 0; q < n; q++) for (let r = 0; r < R; r++) {
    const state = cells[q * R + r];
    if (state === 1 || state === 4) right[q]++; else if (state === 2) wrong[q]++;
    if (state === 3 || state === 4) silent[q]++;
    if (state === 3) quiet[q]++;
  }
  if (own.words) { // decisions, or responses: no outcomes, so that nothing of theirs is scored or asked for
    [["s1", 1], ["s2", 2], ["s3", 3], ["s4", 4], ["s5", 5], ["s6", 6], ["s0", 0]].forEach(([mark, state]) => { const item = document.querySelector(`.legend i.${mark}`).parentNode; item.lastChild.textContent = WORDS[state]; item.hidden = !WORDS[state]; });
    document.querySelector(".own").hidden = !scored;
    [...$("f-agree").options].forEach((option) => { if (option.value && !own.words[1]) option.remove(); });
  }
  [3, 5].forEach((state) => { if (scored) document.querySelector(`.legend i.s${state}`).parentNode.hidden = !cells.includes(state); });
  document.querySelector(".legend .rare6").hidden = !cells.includes(6) || Boolean(scored);
  document.querySelector(".legend .rare").hidden = !cells.includes(4);
  document.querySelector(".legend .rare0").hidden = !cells.includes(0);
  document.querySelector(".legend .rare5").hidden = !cells.includes(5);
  const moves = own.moves && { ...own.moves, codes: bytes(own.moves.codes), flags: bytes(own.moves.flags) }; // what changed between two runs
  let words = null;
  const searched = (q) => {
    words ??= new Array(n);
    return (words[q] ??= [own.questions[q], ...facets.map((f) => f.values[f.codes[q]]), ...own.further.map((f) => f.texts[q])].join("\n").normalize().toLowerCase());
  };
  const mentions = (q, word) => searched(q).includes(word) || Boolean(texts?.ready && texts.lower[q]?.includes(word));
  const asked = () => [...new Set($("f-search").value.normalize().toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MOST_WORDS);

  // --- what is worth a look: of one run, or of any
  const anyRun = (r, test) => (r < 0 ? own.runs.some((_, run) => test(run)) : test(r));
  const flips = (() => { // questions that a run got both right and wrong, asked again
    if (!own.repeats) return null;
    const seen = new Map(), found = own.runs.map(() => new Set());
    for (let q = 0; q < n; q++) for (let r = 0; r < R; r++) {
      const key = own.repeats[q] * R + r, state = cells[q * R + r];
      if (state !== 1 && state !== 2) continue;
      if (seen.has(key) && seen.get(key) !== state) found[r].add(own.repeats[q]);
      seen.set(key, seen.get(key) ?? state);
    }
    return found;
  })();
  const least = () => ($("f-least").value === "" ? -Infinity : Math.fround(Number($("f-least").value))); // the threshold at which a run would answer
  const errs = (cell, from) => sure[cell] >= from && (cells[cell] === 2 || (from > -Infinity && cells[cell] === 3 && candidates?.[cell] === 2));
  const mostSure = (q, r, from = least()) => own.runs.reduce((most, _, run) => ((r < 0 || run === r) && errs(q * R + run, from) && sure[q * R + run] > most ? sure[q * R + run] : most), -Infinity);
  const scoresAlone = scored && !WORDS[3]; // which say all that an outcome could
  const PRESETS = {
    sure: sure && { test: (q, r) => mostSure(q, r) > -Infinity, order: (r) => (a, b) => mostSure(b, r) - mostSure(a, r) || a - b },
    kept: candidates && { test: (q, r) => anyRun(r, (run) => cells[q * R + run] === 3 && candidates[q * R + run] === 1) },
    only: R > 1 && (!own.words || own.words[2]) && { test: (q, r) => wrong[q] === 1 && right[q] > 0 && anyRun(r, (run) => cells[q * R + run] === 2) },
    all: R && (!own.words || own.words[2]) && { test: (q) => wrong[q] === R },
    differ: people && { test: (q, r) => anyRun(r, (run) => people[q * R + run] && (cells[q * R + run] === 1 || cells[q * R + run] === 2) && people[q * R + run] !== cells[q * R + run]) },
    noted: !scoresAlone && { test: (q, r) => anyRun(r, (run) => reading.noted(q, run)) },
    flips: flips && { test: (q, r) => anyRun(r, (run) => flips[run].has(own.repeats[q])) },
  };
  [...$("f-show").options].forEach((option) => { if (option.value && !PRESETS[option.value]) option.remove(); });

  // --- filters, which the address keeps; whoever wrote the address, it can ask for no more than this
  const MOST_WORDS = 50, MOST_PAIRS = 20;
  const choose = (options, props) => { const select = make("select", props); options.forEach(([value, text]) => select.append(make("option", { value, textContent: text }))); return select; };
  facets.forEach((facet, i) => {
    const values = facet.values.map((value, code) => [String(code), value]).sort((a, b) => a[1].localeCompare(b[1]));
    $("f-facets").append(make("label", {}, facet.name + " ", choose([["", "any"], ...values], { id: "f-facet-" + i })));
  });
  if (moves) {
    $("grid").classList.add("of-moves");
    const group = (label, found) => { const node = make("optgroup", { label }); found.forEach(([slug, name, , many]) => node.append(make("option", { value: slug, textContent: `${name} (${many.toLocaleString("en")})` }))); return node; };
    const select = choose([["", "any change or none"]], { id: "f-move" });
    select.append(group("these may overlap", moves.groups), group("outcome before → after", moves.kinds));
    $("f-facets").append(make("label", {}, "Change ", select));
  }
  const moved = (slug) => {
    const all = moves.groups.find((found) => found[0] === slug), one = moves.kinds.find((found) => found[0] === slug);
    return all ? (q) => (moves.flags[q] & all[2]) !== 0 : one ? (q) => moves.codes[q] === one[2] : () => true;
  };
  const kindOf = moves && Object.fromEntries(moves.kinds.map(([, name, code]) => [code, name]));
  $("f-of").append(make("option", { value: "", textContent: "any run" }), ...own.runs.map((name, r) => make("option", { value: String(r), textContent: name })));
  const of = () => ($("f-of").value === "" ? -1 : Number($("f-of").value));
  scored?.dress();
  if (texts?.answers) $("f-search").placeholder = "words of a question or an answer";
  const addRun = (run = "", state = "1") => {
    const number = $("f-runs").children.length + 1;
    const who = choose([["", "any run"], ...own.runs.map((name, r) => [String(r), name])], { className: "who", value: "" });
    const what = choose(own.words ? own.words.map((word, state) => [String(state), word]).filter(([, word]) => word) : [["1", "is correct"], ["2", "is incorrect"], ["3", "is unanswered"], ["5", "is not graded"], ["0", "is missing"]], { className: "what" });
    who.setAttribute("aria-label", `run ${number}`);
    what.setAttribute("aria-label", `outcome of run ${number}`);
    who.value = run; what.value = state;
    if (what.selectedIndex < 0) what.value = "1";
    if (what.selectedIndex < 0) what.selectedIndex = what.options.length - 1;
    $("f-runs").append(make("span", { className: "pair" }, make("label", {}, "Run ", who), make("label", {}, "Outcome ", what)));
  };
  const AGREE = {
    all: (q) => right[q] === R, none: (q) => !right[q], split: (q) => right[q] && right[q] < R, wrong: (q) => wrong[q] > 0,
    silent: (q) => silent[q] > 0, allsilent: (q) => silent[q] === R,
  };
  const ORDERS = scored?.ORDERS ?? {
    hard: (a, b) => right[a] - right[b] || a - b, easy: (a, b) => right[b] - right[a] || a - b, silent: (a, b) => silent[b] - silent[a] || a - b,
  };
  const wanted = () => {
    const found = new URLSearchParams();
    const put = (name, value) => { if (value) found.append(name, value); };
    put("score", scored?.chosen && scored.name);
    put("search", $("f-search").value.trim());
    put("show", $("f-show").value);
    if ($("f-of").value !== "") put("of", own.runs[of()]);
    if ($("f-show").value === "sure") put("least", $("f-least").value);
    put(SPAN, span && span.join(BETWEEN));
    put("open", opened >= 0 ? own.questions[opened] : "");
    put("runs", $("f-agree").value);
    if (moves) put("change", $("f-move").value);
    facets.forEach((facet, i) => { const code = $("f-facet-" + i).value; if (code !== "") put("in." + facet.name, facet.values[code]); });
    document.querySelectorAll(".pair").forEach((pair) => { const run = pair.querySelector(".who").value; if (run !== "") put("run", own.runs[run] + "|" + pair.querySelector(".what").value); });
    put("order", $("f-sort").value);
    put("tolerate", page.tolerates?.()); // of the block that decides
    reading.written().forEach((note) => put("note", note));
    return found;
  };
  const PREFIX = "#questions?", SPAN = scored ? "mean" : "right", BETWEEN = scored ? ".." : "-"; // means may be below 0
  const restore = () => {
    const found = new URLSearchParams(location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : "");
    $("f-search").value = found.get("search") ?? "";
    const set = (select, value) => { select.value = value ?? ""; if (select.selectedIndex < 0) select.value = ""; };
    page.tolerate?.(found.get("tolerate"));
    reading.read(found.getAll("note"));
    set($("f-agree"), found.get("runs"));
    set($("f-show"), found.get("show"));
    const whose = own.runs.indexOf(found.get("of"));
    $("f-of").value = whose < 0 ? "" : String(whose);
    $("f-least").value = Number.isFinite(Number(found.get("least") ?? NaN)) ? found.get("least") : "";
    const bounds = (found.get(SPAN) ?? "").split(BETWEEN).map(Number);
    span = bounds.length === 2 && (scored ? !bounds.some(Number.isNaN) : bounds.every((k) => k >= 0 && k <= R)) ? bounds : null;
    if ($("f-score")) { scored.choose(found.get("score")); showBars(); }
    wantedOpen = own.questions.indexOf(found.get("open"));
    set($("f-sort"), found.get("order"));
    if (moves) set($("f-move"), found.get("change"));
    facets.forEach((facet, i) => { const code = facet.values.indexOf(found.get("in." + facet.name)); $("f-facet-" + i).value = code < 0 ? "" : String(code); });
    $("f-runs").replaceChildren();
    found.getAll("run").slice(0, MOST_PAIRS).forEach((text) => { const at = text.lastIndexOf("|"), run = own.runs.indexOf(text.slice(0, at)); if (run >= 0) addRun(String(run), text.slice(at + 1)); });
    if (!$("f-runs").children.length) addRun();
  };
  let view = [], at = -1, span = null, opened = -1, wantedOpen = -1; // span: of how many runs right
  const filter = () => {
    const text = asked(), tests = [], preset = PRESETS[$("f-show").value];
    $("f-least").parentNode.hidden = $("f-show").value !== "sure";
    if (text.length && texts && !texts.ready) texts.search().then(filter); // what is found by the names is shown until then
    if (preset) tests.push((q) => preset.test(q, of()));
    if (span) tests.push(scored ? (q) => scored.mean(q) >= span[0] && scored.mean(q) < span[1] : (q) => right[q] >= span[0] && right[q] <= span[1]);
    if ($("f-agree").value) tests.push(AGREE[$("f-agree").value]);
    if (moves && $("f-move").value) tests.push(moved($("f-move").value));
    facets.forEach((facet, i) => { const code = $("f-facet-" + i).value; if (code !== "") tests.push((q) => facet.codes[q] === Number(code)); });
    document.querySelectorAll(".pair").forEach((pair) => {
      const run = pair.querySelector(".who").value, state = Number(pair.querySelector(".what").value);
      if (run !== "") tests.push((q) => { const found = cells[q * R + Number(run)]; return found === state || (state === 1 && found === 4 && !own.words); });
    });
    if (text.length) tests.push((q) => text.every((word) => mentions(q, word)));
    view = [];
    for (let q = 0; q < n; q++) if (tests.every((test) => test(q))) view.push(q);
    if ($("f-sort").value) view.sort(scored ? ORDERS[$("f-sort").value](of()) : ORDERS[$("f-sort").value]);
    else if (preset?.order) { // as sure as they were wrong
      const rank = new Float64Array(n);
      view.forEach((q) => { rank[q] = mostSure(q, of()); });
      view.sort((a, b) => rank[b] - rank[a] || a - b);
    }
    at = -1;
    showSpan();
    $("f-count").textContent = `${view.length === n ? "All" : `${view.length.toLocaleString("en")} of`} ${n.toLocaleString("en")} ${own.repeats ? "rows, one each time a question was asked" : "questions"}`;
    $("f-empty").hidden = view.length > 0;
    chips();
    grid.scrollTop = 0;
    body.style.height = view.length * HEIGHT + "px";
    grid.setAttribute("aria-rowcount", view.length + 1);
    draw(true);
    score();
  };
  // --- what filters now, by name, each of which a click takes away
  const WITH = { show: ["of", "least"] };
  const optionOf = (select) => select.selectedOptions[0]?.textContent ?? "";
  const named = (name, value) => {
    if (name === "search") return `“${value}”`;
    if (name === "show") return optionOf($("f-show")) + (of() < 0 ? "" : `, of ${own.runs[of()]}`) + (value === "sure" && $("f-least").value ? `, from confidence ${$("f-least").value}` : "");
    if (name === "of") return `of ${value}`;
    if (name === SPAN) return scored ? `mean score ${value.replace(BETWEEN, " to ")}` : `${span[0] === span[1] ? span[0] : span.join(" to ")} of ${R} runs right`;
    if (name === "runs") return optionOf($("f-agree"));
    if (name === "change") return optionOf($("f-move"));
    if (name === "order") return optionOf($("f-sort"));
    if (name.startsWith("in.")) return `${name.slice(3)}: ${value}`;
    const at = value.lastIndexOf("|"), states = own.words ?? ["is missing", "is correct", "is incorrect", "is unanswered", "", "is not graded"];
    return name === "run" ? `${value.slice(0, at)} ${states[Number(value.slice(at + 1))]}` : null;
  };
  const chips = () => {
    const all = [...wanted()], shows = $("f-show").value !== "";
    $("f-chips").replaceChildren(...all.flatMap(([name, value], i) => {
      const text = shows && WITH.show.includes(name) ? null : named(name, value);
      if (!text) return [];
      const chip = make("button", { type: "button", className: "chip", title: "remove this filter" }, isolated(text), make("span", { "aria-hidden": "true", textContent: " ×" }), make("span", { className: "hidden", textContent: ", remove this filter" }));
      chip.addEventListener("click", () => {
        const left = new URLSearchParams(all.filter(([other], k) => k !== i && !(WITH[name] ?? []).includes(other)));
        try { history.replaceState(null, "", left.toString() ? PREFIX + left : "#questions"); } catch { return; }
        restore();
        filter();
        ($("f-chips").querySelector("button") ?? $("f-search")).focus();
      });
      return [chip];
    }));
  };
  const keepAddress = (none = "#questions") => {
    const text = wanted().toString();
    try { history.replaceState(null, "", text ? PREFIX + text : none); } catch { /* an address that cannot be changed */ }
  };
  page.keepAddress = keepAddress;
  const changed = () => {
    filter();
    keepAddress(location.hash.startsWith(PREFIX) ? "#questions" : location.hash || "#questions");
  };

  // --- how hard the questions are: how many runs got them right, or their mean score, which a click filters by
  const BINS = 20, width = Math.max(1, Math.ceil((R + 1) / BINS));
  const barsOfRight = () => {
    const bins = [];
    for (let low = 0; low <= R; low += width) bins.push({ low, high: Math.min(R, low + width - 1), many: 0 });
    for (let q = 0; q < n; q++) bins[Math.floor(right[q] / width)].many++;
    return bins.map((bar) => { const label = bar.low === bar.high ? String(bar.low) : `${bar.low}–${bar.high}`; return { ...bar, label, text: `${bar.many.toLocaleString("en")} questions that ${label} of ${R} runs got right` }; });
  };
  let bars = [], buttons = [];
  const showBars = () => {
    bars = scored ? scored.bars() : barsOfRight();
    const tallest = Math.max(1, ...bars.map((bar) => bar.many));
    buttons = bars.map(({ low, high, many, label, text }) => {
      const button = make("button", { type: "button", "aria-label": text, title: text }, make("i"), make("span", { textContent: label }));
      button.firstChild.style.height = `${Math.max(many ? 2 : 0, Math.round(54 * many / tallest))}px`;
      button.addEventListener("click", () => { span = span && span[0] === low && span[1] === high ? null : [low, high]; changed(); });
      return button;
    });
    $("f-hard").hidden = scored ? !bars.length : R < 2;
    $("f-bars").replaceChildren(...buttons);
    $("f-bars").classList.toggle("ranges", width > 1 || Boolean(scored));
  };
  showBars();
  $("f-score")?.addEventListener("input", () => { scored.choose(scored.scores[Number($("f-score").value)].name); span = null; showBars(); });
  const showSpan = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(Boolean(span) && span[0] === bars[i].low && span[1] === bars[i].high)));

  // --- the rows: only those in sight exist
  const HEIGHT = 30, grid = $("grid"), body = grid.querySelector(".grid-body"), pool = [];
  const CELL = scored ? 58 : 26, SUM = scored ? 70 : 74 + 24 * String(R).length; // three counts as long as the number of runs
  const sum = (q) => (scored ? scored.shown(scored.mean(q)) : moves ? kindOf[moves.codes[q]] : `${right[q]} ✓ ${wrong[q]} × ${quiet[q]} –`);
  grid.querySelector(".grid-head").append(make("div", { className: "row", role: "row", "aria-rowindex": "1" },
    make("div", { className: "cell name", role: "columnheader", textContent: "question" }), make("div", { className: "cell sum", role: "columnheader", textContent: scored ? "mean" : moves ? "change" : "of all runs" }),
    ...own.runs.map((name, r) => make("div", { className: "cell", role: "columnheader", title: name, "data-run": String(r) }, make("span", {}, isolated(own.heads[r]))))));
  grid.setAttribute("aria-colcount", R + 2);
  grid.style.setProperty("--sum", `${SUM}px`);
  grid.style.height = `min(560px, 70vh, ${138 + Math.max(4, n) * HEIGHT}px)`; // no taller than all rows
  const newRow = () => {
    const marks = own.runs.map(() => make("i"));
    const boxes = marks.map((mark, r) => make("div", { className: "cell", role: "gridcell", "data-run": String(r) }, mark));
    const name = make("div", { className: "cell name", role: "rowheader" }), total = make("div", { className: "cell sum", role: "gridcell" });
    const node = make("div", { className: "row", role: "row" }, name, total, ...boxes);
    body.append(node);
    return { node, name, total, marks, boxes, index: -1 };
  };
  const fill = (row, index) => {
    const q = view[index];
    row.index = index;
    row.node.id = "row-" + index;
    row.node.setAttribute("aria-rowindex", index + 2);
    row.node.style.transform = `translateY(${index * HEIGHT}px)`;
    const question = texts?.asked[q]?.[0] ?? "";
    row.node.classList.toggle("noted", own.runs.some((_, r) => reading.noted(q, r)));
    row.name.replaceChildren(isolated(own.questions[q]), ...(question && question !== own.questions[q] ? [" ", make("small", {}, isolated(question.slice(0, 200)))] : []));
    row.name.title = (question || own.questions[q]).slice(0, 300);
    row.total.textContent = sum(q);
    for (let r = 0; r < R; r++) {
      const state = cells[q * R + r];
      if (scored) scored.mark(row.marks[r], q, r, state, GLYPHS[state]);
      else { row.marks[r].className = "s" + state; row.marks[r].textContent = GLYPHS[state]; }
      row.boxes[r].setAttribute("aria-label", own.runs[r] + ": " + (scored && state === 6 ? `${scored.name} ${scored.shown(scored.at(q, r))}` : WORDS[state]));
    }
  };
  const draw = (all = false) => {
    const first = Math.max(0, Math.floor(grid.scrollTop / HEIGHT) - 4), many = Math.ceil(grid.clientHeight / HEIGHT) + 8;
    while (pool.length < many) pool.push(newRow());
    pool.forEach((row) => { row.seen = false; });
    for (let index = first; index < Math.min(first + many, view.length); index++) {
      const row = pool[index % pool.length];
      if (all || row.index !== index) fill(row, index);
      row.seen = true;
      row.node.hidden = false;
      row.node.style.display = "";
      row.node.classList.toggle("at", index === at);
    }
    pool.forEach((row) => { if (!row.seen) { row.node.style.display = "none"; row.index = -1; row.node.removeAttribute("id"); } });
    light(); // rows come and go as they are scrolled
    at >= 0 && document.getElementById("row-" + at) ? grid.setAttribute("aria-activedescendant", "row-" + at) : grid.removeAttribute("aria-activedescendant");
  };
  const light = () => reading.light(asked(), body, $("detail"));
  let waiting = false;
  grid.addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } }, { passive: true });
  const widen = () => grid.style.setProperty("--name", `${Math.max(innerWidth <= 700 ? 104 : 210, Math.min(640, grid.clientWidth - (moves ? 178 : scored && R < 2 ? 0 : SUM) - CELL * R - 80))}px`); // the name has what the marks leave
  widen();
  addEventListener("resize", () => { widen(); draw(); });
  const go = (index) => {
    if (!view.length) return;
    at = Math.max(0, Math.min(index, view.length - 1));
    const head = grid.querySelector(".grid-head").offsetHeight, top = at * HEIGHT;
    if (top < grid.scrollTop) grid.scrollTop = top;
    if (top + HEIGHT > grid.scrollTop + grid.clientHeight - head) grid.scrollTop = top + HEIGHT - grid.clientHeight + head;
    draw();
  };
  grid.addEventListener("keydown", (event) => {
    const page = Math.floor(grid.clientHeight / HEIGHT) - 5;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: view.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); go(to); }
    if ((event.key === "Enter" || event.key === " ") && at >= 0) { event.preventDefault(); open(view[at]); }
  });
  body.addEventListener("click", (event) => { const node = event.target.closest(".row"); if (node) { go(Number(node.id.slice(4))); open(view[at]); } });

  // --- one question
  const detail = $("detail");
  const close = () => { detail.hidden = true; opened = -1; keepAddress(); grid.focus(); };
  const { folded } = reading;
  let versus = R === 2 ? 1 : -1; // the run from whose answers the others' differences are marked
  const open = async (q, quiet = false) => {
    opened = q;
    keepAddress();
    const [question, gold] = texts ? await texts.of(q) : ["", ""], said = texts ? await texts.said(q) : [];
    if (opened !== q) return;
    const button = make("button", { type: "button", className: "close", textContent: "Close" });
    button.addEventListener("click", close);
    const steps = [["Previous", -1], ["Next", 1]].map(([textContent, by]) => { // through the questions shown
      const step = make("button", { type: "button", className: "step", textContent, disabled: view.indexOf(q) + by < 0 || view.indexOf(q) + by >= view.length });
      step.addEventListener("click", () => { go(view.indexOf(q) + by); open(view[at], true).then(() => { const again = [...detail.querySelectorAll(".step")].find((one) => one.textContent === textContent); (again.disabled ? detail : again).focus({ preventScroll: true }); }); });
      return step;
    });
    const parts = [button, ...steps, make("h3", {}, isolated(own.questions[q]))];
    const link = make("a", { href: PREFIX + new URLSearchParams({ open: own.questions[q] }), textContent: "Link to this question", className: "link" });
    const known = [...(moves ? [["change", sum(q)]] : []), ...facets.map((f) => [f.name, f.values[f.codes[q]]]), ...own.further.map((f) => [f.name, f.texts[q]])];
    for (let i = known.length - 1; i >= 0; i--) if (known[i][1] === gold || known[i][1] === question) known.splice(i, 1); // shown as such below
    if (question) parts.push(folded(question));
    if (gold) parts.push(make("p", { className: "gold" }, make("span", { className: "label", textContent: "Gold: " }), isolated(gold)));
    const reasons = said.some((one) => one?.[2]);
    const head = make("tr", {}, ...["run", ...(scoresAlone ? [] : ["outcome"]), ...(scoresAlone ? [graded.head] : []), ...(people ? ["people say"] : []), ...(sure ? ["confidence"] : []), ...(texts ? [reasons ? `answer, and ${own.texts.reasons}` : "answer"] : [])].map((name) => make("th", { scope: "col", className: "text", textContent: name })));
    const rows = own.runs.map((name, r) => {
      const state = cells[q * R + r];
      const outcome = make("td", { className: "text cell-" + state }, make("span", { className: "cell" }, make("i", { className: "s" + state, textContent: GLYPHS[state], "aria-hidden": "true" })), " " + WORDS[state]);
      const row = make("tr", { "data-run": String(r) }, make("th", { scope: "row" }, called(r)), ...(scoresAlone ? [] : [outcome]));
      if (scoresAlone) row.append(graded.cells(q, r, state !== 6 ? WORDS[state] : "–"));
      else if (graded) outcome.append(...graded.lines(q, r));
      if (candidates?.[q * R + r] && state === 3) outcome.append(make("small", { textContent: `its candidate was ${candidates[q * R + r] === 1 ? "right" : "wrong"}` }));
      if (people) row.append(make("td", { className: "text", "data-label": "people say", textContent: people[q * R + r] ? WORDS[people[q * R + r]] : "–" }));
      if (sure) row.append(make("td", { "data-label": "confidence", textContent: Number.isNaN(sure[q * R + r]) ? "–" : String(Number(sure[q * R + r].toPrecision(4))) }));
      if (texts) {
        const [answer, graded, why] = said[r] ?? ["", "", ""];
        const other = said[versus === r && R === 2 ? 1 - r : versus]?.[0] ?? "";
        row.append(make("td", { className: "words" }, ...(answer ? [folded(answer, (versus !== r || R === 2) && other ? reading.differing(answer, other) : [answer])] : []), ...(graded ? [make("small", {}, "graded: ", isolated(graded))] : []), ...(why ? [make("div", { className: "why" }, folded(why))] : [])));
      }
      if (state && !scoresAlone) row.append(make("td", { className: "noting" }, reading.box(q, r, () => { keepAddress(); draw(true); })));
      return row;
    });
    if (!scoresAlone) head.append(make("th", { scope: "col", className: "text", textContent: "your note" }));
    if (R > 1 && said.filter((one) => one?.[0]).length > 1) {
      const select = choose([["-1", "no run"], ...own.runs.map((name, r) => [String(r), name])], { value: String(versus) });
      select.value = String(versus);
      select.addEventListener("change", () => { versus = Number(select.value); open(q, true).then(() => detail.querySelector(".versus select").focus()); });
      parts.push(make("label", { className: "versus" }, "Mark differences from ", select));
    }
    parts.push(make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Answers of the runs" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))));
    if (known.length) parts.push(make("p", { className: "lead" }, ...known.flatMap(([name, text]) => [make("span", {}, name + ": ", isolated(text)), " · "]).slice(0, -1)));
    detail.replaceChildren(...parts, link);
    detail.hidden = false;
    light();
    if (quiet) return;
    detail.focus();
    detail.scrollIntoView({ block: "nearest" });
  };
  detail.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  const score = ownScores(counted, called, scored, () => view);

  // --- all together
  $("f-download").addEventListener("click", () => keep("questions", [["question", ...(moves ? ["change"] : []), ...facets.map((f) => f.name), ...own.runs], ...view.map((q) => [own.questions[q], ...(moves ? [sum(q)] : []), ...facets.map((f) => f.values[f.codes[q]]), ...own.runs.map((_, r) => (scored && cells[q * R + r] === 6 && !Number.isNaN(scored.at(q, r)) ? Number(scored.at(q, r).toPrecision(7)) : WORDS[cells[q * R + r]]))])]));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  let typing = 0;
  $("filters").addEventListener("input", (event) => { clearTimeout(typing); event.target.id === "f-search" ? (typing = setTimeout(changed, 120)) : changed(); });
  $("f-reset").addEventListener("click", () => { // at once: a key pressed next acts on all the questions
    $("filters").reset();
    $("f-runs").replaceChildren();
    addRun();
    span = null;
    changed();
  });
  $("f-add").addEventListener("click", () => { addRun(); $("f-runs").lastChild.querySelector("select").focus(); });
  document.querySelector('a.skip[href="#f-search"]').addEventListener("click", (event) => { event.preventDefault(); event.stopImmediatePropagation(); $("f-search").focus(); });
  document.querySelectorAll("nav a, a.skip").forEach((link) => link.addEventListener("click", (event) => {
    if (!wanted().toString()) return; // the address holds filters: scroll without losing them
    event.preventDefault();
    const place = document.querySelector(link.getAttribute("href"));
    place.tabIndex = -1; // the next Tab goes on from there, as it does after a link
    place.focus({ preventScroll: true });
    place.scrollIntoView();
  }));
  addEventListener("hashchange", () => { // also by going back, to filters or to none
    if (location.hash.startsWith(PREFIX) || wanted().toString()) { restore(); filter(); arrive(); }
    if (location.hash.startsWith(PREFIX)) $("questions").scrollIntoView();
  });
  document.querySelectorAll(`a[href^="${PREFIX}"]`).forEach((link) => link.addEventListener("click", () => { // the address may be this one already
    if (link.hash === location.hash) { restore(); filter(); $("questions").scrollIntoView(); }
  }));
  document.querySelectorAll("a.read").forEach((link) => link.addEventListener("click", (event) => { // with the first of them open
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try { history.pushState(null, "", link.hash); } catch { return; }
    restore();
    filter();
    go(0);
    if (view.length) open(view[0], true).then(() => { (innerWidth < 1240 ? detail : $("f-count")).scrollIntoView({ behavior: "instant" }); detail.focus({ preventScroll: true }); });
  }));
  const arrive = () => { if (wantedOpen >= 0) open(wantedOpen, true).then(() => detail.scrollIntoView({ block: "nearest" })); };
  restore();
  filter();
  arrive();
  if (texts) {
    texts.onload(() => draw(true));
    setTimeout(texts.load, 50);
  }
  if (location.hash.startsWith(PREFIX) && !/^tolerate=[^&]*$/.test(location.hash.slice(PREFIX.length))) $("questions").scrollIntoView();
})();
