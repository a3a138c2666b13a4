// Graded scores of single questions: cells that are numbers, the order and the bars of mean scores, means of what is shown.
const graded = (() => {
  const { held, $, make } = page;
  const own = held.browser;
  if (!own?.graded) return null;
  const R = own.runs.length, n = own.questions.length;
  const scores = own.graded.map(({ name, values }) => ({ name, values: unpack.floats(values, R) }));
  const inGrid = Boolean(own.words); // else cells are outcomes, and scores stand beside an answer
  const bounds = scores.map(({ values }) => { let low = Infinity, high = -Infinity; for (const v of values) { if (v < low) low = v; if (v > high) high = v; } return [low, high]; });
  const shade = (value, [low, high]) => { const [from, to] = low >= 0 && high <= 1 ? [0, 1] : [low, high]; return to > from ? (value - from) / (to - from) : 1; };
  const digits = bounds.map(([low, high]) => { const most = Math.max(Math.abs(low), Math.abs(high)); return most < 10 ? 3 : most < 100 ? 2 : most < 1000 ? 1 : 0; });
  const FIRST = Math.max(0, bounds.findIndex(([low, high]) => low <= high)); // that any answer has
  let now = FIRST;
  const at = (q, r, which = now) => scores[which].values[q * R + r];
  const shown = (value, which = now) => (Number.isNaN(value) ? "–" : Math.abs(value) < 1e6 ? value.toFixed(digits[which]) : value.toPrecision(4));
  const means = scores.map(() => null);
  const meanOf = (which) => (means[which] ??= Float64Array.from({ length: n }, (_, q) => {
    let sum = 0, many = 0;
    for (let r = 0; r < R; r++) { const v = at(q, r, which); if (!Number.isNaN(v)) { sum += v; many++; } }
    return many ? sum / many : NaN;
  }));
  const mean = (q) => meanOf(now)[q];
  const apart = (q) => { // how far the runs are from each other
    let low = Infinity, high = -Infinity;
    for (let r = 0; r < R; r++) { const v = at(q, r); if (v < low) low = v; if (v > high) high = v; }
    return high >= low ? high - low : -1;
  };
  const last = (value, by) => (Number.isNaN(value) ? Infinity : by * value); // what has no score stands last
  const by = (key) => (a, b) => key(a) - key(b) || a - b || 0;
  const ORDERS = { // of one run, or of the mean of all
    low: (r) => by((q) => last(r < 0 ? mean(q) : at(q, r), 1)),
    high: (r) => by((q) => last(r < 0 ? mean(q) : at(q, r), -1)),
    apart: () => by((q) => -apart(q)),
  };
  const NAMES = { low: "lowest score first", high: "highest score first", apart: "runs furthest apart first" };
  const BINS = 10;
  const bars = () => { // of mean scores: tenths where these lie between 0 and 1, else ten parts of what there is
    const all = meanOf(now).filter((v) => !Number.isNaN(v)).sort(), [least, most] = [all[0], all[all.length - 1]];
    if (!(least < most)) return [];
    const tenths = least >= 0 && most <= 1, [low, high] = tenths ? [0, 1] : [least, most], width = (high - low) / BINS;
    const bins = Array.from({ length: BINS }, (_, i) => [low + i * width, i === BINS - 1 ? high : low + (i + 1) * width, 0]);
    for (const v of all) bins[Math.min(BINS - 1, Math.floor((v - low) / width + 1e-9))][2]++;
    const what = R > 1 ? "a mean score" : "a score";
    return bins.map(([from, to, many], i) => {
      const span = `${shown(from)} to ${shown(to)}`;
      return { low: from - 1e-9 * width, high: i === BINS - 1 ? Infinity : to - 1e-9 * width, many, label: tenths ? from.toFixed(1) : shown(from), text: `${many.toLocaleString("en")} questions with ${what} of ${span}` };
    });
  };
  const mark = (node, q, r, state, glyph) => {
    const value = at(q, r);
    const plain = Number.isNaN(value) || state === 3; // silence is shown as such
    node.className = plain ? "s" + state : "scored";
    node.textContent = plain ? glyph : shown(value);
    plain ? node.style.removeProperty("--shade") : node.style.setProperty("--shade", shade(value, bounds[now]).toFixed(3));
  };
  const onlyShown = (view, which, r) => { // the mean of the questions shown, each counted once however often it was asked
    const sums = new Map();
    for (const q of view) {
      const v = at(q, r, which);
      if (Number.isNaN(v)) continue;
      const key = own.repeats ? own.repeats[q] : q, into = sums.get(key) ?? [0, 0];
      into[0] += v; into[1]++;
      sums.set(key, into);
    }
    let sum = 0;
    for (const [total, many] of sums.values()) sum += total / many;
    return { value: sums.size ? sum / sums.size : NaN, n: sums.size };
  };
  const table = (view, called) => {
    const several = scores.map(({ name }) => [make("th", { scope: "col" }, make("bdi", { textContent: name })), make("th", { scope: "col", textContent: "n" })]);
    $("own").tHead.replaceChildren(make("tr", {}, make("th", { scope: "col", className: "text", textContent: "run" }), ...several.flat()));
    $("own").tBodies[0].replaceChildren(...own.runs.map((_, r) => make("tr", { "data-run": String(r) }, make("th", { scope: "row" }, called(r)), ...scores.flatMap((_, which) => {
      const found = onlyShown(view, which, r);
      return [make("td", { textContent: Number.isNaN(found.value) ? "undefined" : shown(found.value, which) }), make("td", { textContent: found.n.toLocaleString("en") })];
    }))));
  };
  const dress = () => { // what only outcomes have a use for goes, and what scores need comes
    const hide = (id) => { $(id).closest("label").hidden = true; };
    if ($("f-show").options.length < 2) hide("f-show");
    hide("f-agree");
    $("f-sort").closest("label").after($("f-of").closest("label"));
    $("f-of").options[0].textContent = R > 1 ? "all runs" : "this run";
    if (R < 2) hide("f-of");
    [...$("f-sort").options].forEach((option) => { if (option.value) option.remove(); });
    Object.entries(NAMES).forEach(([value, textContent]) => { if (R > 1 || value !== "apart") $("f-sort").append(make("option", { value, textContent })); });
    $("grid").classList.add("of-scores");
    $("grid").classList.toggle("alone", R < 2);
    document.querySelector(".legend .scale").hidden = false;
    document.querySelector("#f-hard .lead").textContent = `${R > 1 ? "How hard are the questions? Bars count the questions by their mean score" : "How are the scores spread? Bars count the questions by their score"}; the number below a bar is its lowest score.`;
    $("f-hard").setAttribute("aria-label", R > 1 ? "Questions by their mean score" : "Questions by their score");
    document.querySelector(".own summary").textContent = "Mean scores of the questions shown";
    $("own-how").textContent = "Each question that has a score counts once. These means have no intervals.";
    if (scores.length < 2) return;
    const choice = make("select", { id: "f-score" }, ...scores.map(({ name }, i) => make("option", { value: String(i), textContent: name })));
    choice.value = String(now);
    $("f-facets").prepend(make("label", {}, "Score ", choice));
  };
  const cells = (q, r, none) => { // of one answer: a cell for the score, or one for all of them
    const texts = scores.map(({ name }, which) => { const value = at(q, r, which); return [name, Number.isNaN(value) ? none : String(Number(value.toPrecision(6)))]; });
    return texts.length === 1 ? make("td", { "data-label": texts[0][0], textContent: texts[0][1] })
      : make("td", { className: "text several" }, ...texts.map(([name, text]) => make("div", {}, make("span", {}, make("bdi", { textContent: name }), " "), text)));
  };
  const lines = (q, r) => scores.flatMap(({ name }, which) => { // below an outcome
    const value = at(q, r, which);
    return Number.isNaN(value) ? [] : [make("small", {}, make("bdi", { textContent: name }), " " + String(Number(value.toPrecision(6))))];
  });
  return {
    lines, head: scores.length > 1 ? "scores" : scores[0].name, cells,
    inGrid, scores, at, shown, mean, bars, mark, table, dress, ORDERS,
    get name() { return scores[now].name; },
    get chosen() { return now !== FIRST; }, // another one than the page begins with
    choose: (name) => { const found = scores.findIndex((one) => one.name === name); now = found < 0 ? FIRST : found; if ($("f-score")) $("f-score").value = String(now); },
  };
})();
