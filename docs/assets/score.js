// The page that scores a table: a file or a text comes in, the figures of `nescio score` and `nescio compare` come out. Nothing leaves the page.
(() => {
  const place = document.getElementById("score");
  if (!place) return;
  const LEVEL = 0.95, Z = 1.959963984540054, MOST_RUNS = 100, MOST_BARS = 12, EXAMPLE = "run,question,outcome\n" + [
    ["careful", "CCCCUUCCUUCCCUWCCUCCUCUCCCUC"], ["bold", "CCCCWWCCCWCCCWWCCWCCWCWCCCWC"]].map(([run, all]) => [...all].map((c, i) => `${run},q${i + 1},${{ C: "correct", W: "incorrect", U: "unanswered" }[c]}`).join("\n")).join("\n");
  const make = (tag, props = {}, ...children) => { const node = Object.assign(document.createElement(tag), props); for (const [key, value] of Object.entries(props)) if (/-|^(role|for|scope|value)$/.test(key)) node.setAttribute(key, value); node.append(...children); return node; };
  const whole = (x) => x.toLocaleString("en"), named = (name) => make("bdi", { textContent: name.length > 60 ? name.slice(0, 59) + "…" : name });
  const exactly = (x, text) => make("data", { value: String(x), textContent: text }); // all digits, for who copies them
  const number = (x, signed) => exactly(x, (signed && x >= 0 ? "+" : "") + x.toFixed(3).replace(/^-(0\.000)$/, "$1").replace("-", "−"));
  const between = (ends, signed) => (ends ? [" [", number(ends[0], signed), ", ", number(ends[1], signed), "]"] : [" (no interval)"]);
  const chance = (p) => exactly(p, p <= 1e-16 ? "1e-16 or less" : p < 0.0005 ? p.toExponential(1) : p.toFixed(3));

  // --- what comes in
  const file = make("input", { type: "file", id: "score-file", accept: ".csv,.tsv,.jsonl,.ndjson,.json,.txt" });
  const pasted = make("textarea", { id: "score-text", rows: 5, spellcheck: false, placeholder: "run,question,outcome\nmine,q1,correct" });
  const fields = ["correct", "incorrect", "unanswered", "all questions"].map((name, k) => make("input", { id: `score-n${k}`, inputMode: "numeric", size: 7, placeholder: k === 3 ? "the sum" : "0", autocomplete: "off" }));
  const drop = make("div", { className: "drop" },
    make("p", {}, make("label", { for: "score-file", textContent: "Drop a table here, or choose one: " }), file),
    make("p", { className: "small" }, "It stays in your browser. ", make("button", { type: "button", className: "example", textContent: "Try it with an example" })));
  const tell = make("div", { className: "told", role: "status" }), problem = make("p", { className: "problem", role: "alert", hidden: true }), asking = make("form", { className: "asks", hidden: true }), out = make("div", { className: "figures", hidden: true });
  place.append(drop,
    make("details", {}, make("summary", { textContent: "Paste a table instead" }), make("label", { for: "score-text", textContent: "A table with a first line of names" }), pasted, make("button", { type: "button", className: "paste", textContent: "Score it" })),
    make("details", {}, make("summary", { textContent: "Type four counts instead" }), make("div", { className: "counts" }, ...fields.map((field, k) => make("label", {}, ["correct ", "incorrect ", "unanswered ", "all questions "][k], field))), make("button", { type: "button", className: "count", textContent: "Score them" })),
    problem, asking, tell, out);
  let text = "", name = "FILE", choices = {};

  const guard = (act) => {
    problem.hidden = true;
    try { act(); } catch (error) {
      if (!(error instanceof reading.Problem)) throw error;
      problem.textContent = error.message;
      problem.hidden = false;
      out.hidden = true;
      tell.textContent = "";
    }
  };
  const begin = (what, called) => { text = what; name = called; choices = {}; asking.replaceChildren(); asking.hidden = true; update(); };
  const update = () => guard(() => {
    const found = reading.read(text, choices);
    askFor(found.asks);
    if (found.problem) { problem.textContent = found.problem; problem.hidden = false; }
    out.hidden = Boolean(found.open);
    tell.textContent = found.open ? "Before there are figures, say how the table is meant." : "";
    if (!found.open) show(found);
  });
  const askFor = (asks) => {
    asking.hidden = !asks.length;
    asking.replaceChildren(...(asks.length ? [make("p", { className: "lead", textContent: "How is this table meant?" })] : []), ...asks.map(({ id, text: question, options }, i) => {
      const select = make("select", { id: `score-ask-${i}` }, make("option", { value: "", textContent: "choose …" }), ...options.map(([value, label]) => make("option", { value, textContent: label })));
      select.value = choices[id] ?? "";
      select.addEventListener("change", () => { if (select.value) choices[id] = select.value; else delete choices[id]; update(); document.getElementById(`score-ask-${i}`)?.focus(); });
      return make("p", {}, make("label", { for: `score-ask-${i}`, textContent: question + " " }), select);
    }));
  };
  const open = async (chosen) => {
    if (!chosen) return;
    place.ariaBusy = "true";
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    guard(() => begin(reading.decode(bytes), chosen.name));
    place.ariaBusy = "false";
  };
  file.addEventListener("change", () => open(file.files[0]));
  for (const event of ["dragover", "dragleave", "drop"]) drop.addEventListener(event, (happened) => {
    happened.preventDefault();
    drop.classList.toggle("over", event === "dragover");
    if (event === "drop") open(happened.dataTransfer.files[0]);
  });
  place.querySelector(".example").addEventListener("click", () => begin(EXAMPLE, "example.csv"));
  place.querySelector(".paste").addEventListener("click", () => begin(pasted.value, "table.csv"));
  asking.addEventListener("submit", (event) => event.preventDefault());
  place.querySelector(".count").addEventListener("click", () => guard(() => {
    const [c, w, u, n] = fields.map((field) => field.value.replace(/[\s,]/g, ""));
    const row = [c, w, u].map((value) => value || "0");
    begin(`run,correct,incorrect,unanswered${n ? ",n" : ""}\nthese counts,${row}${n ? "," + n : ""}`, "");
  }));

  // --- what comes out
  const tallied = ({ counts: [c, w, u, s = 0] }) => ({ right: c + s, wrong: w, silent: u, n: c + w + u + s, answered: c + w });
  const score = (run, groups) => {
    const { right, wrong, silent, n, answered } = tallied(run), value = (measure) => statistics.measures[measure](right, silent, n);
    let made = null;
    if (groups) {
      const of = new Map();
      run.cells.forEach((state, i) => { const one = of.get(groups[i]) ?? [0, 0, 0]; one[state % 3]++; of.set(groups[i], one); });
      made = statistics.clustered([...of.values()], LEVEL);
    }
    const drawn = made ? null : statistics.posterior(right, wrong, silent, LEVEL);
    const intervals = made ?? [drawn["c@1"], drawn.accuracy, statistics.wilson(answered, n, Z)];
    return { ...run, ...tallied(run), "c@1": value("c@1"), accuracy: value("accuracy"), coverage: answered / n, intervals };
  };
  const bars = (runs) => make("div", { className: "bars" },
    make("p", { className: "lead", textContent: "What each run did, and what accuracy and c@1 make of it" }),
    ...runs.slice(0, MOST_BARS).map((run) => make("div", { className: "bar" }, make("span", { className: "who" }, named(run.name)),
      make("span", { className: "parts", role: "img", "aria-label": `${whole(run.right)} correct, ${whole(run.silent)} unanswered, ${whole(run.wrong)} incorrect` }, ...["right", "silent", "wrong"].map((kind) => { const part = make("span", { className: kind }); part.style.width = `${(100 * run[kind]) / run.n}%`; return part; })),
      make("span", { className: "value" }, "accuracy ", number(run.accuracy)), make("span", { className: "value main" }, "c@1 ", number(run["c@1"])))),
    make("p", { className: "legend" }, ...[["right", "correct"], ["silent", "unanswered"], ["wrong", "incorrect"]].map(([kind, label]) => make("span", {}, make("i", { className: kind }), label))));
  const head = (...names) => make("thead", {}, make("tr", {}, ...names.map((title, i) => make("th", { scope: "col", textContent: title, className: i ? "" : "text" }))));
  const scores = (runs) => make("div", { className: "scroll", role: "region", "aria-label": "Scores", tabIndex: 0 }, make("table", { className: "plain" }, head("run", "c@1", "accuracy", "coverage", "correct", "incorrect", "unanswered", "n"),
    make("tbody", {}, ...runs.map((run) => make("tr", {}, make("th", { scope: "row" }, named(run.name)), ...["c@1", "accuracy", "coverage"].map((measure, k) => make("td", {}, number(run[measure]), ...between(run.intervals[k]))),
      ...["right", "wrong", "silent", "n"].map((kind) => make("td", {}, exactly(run[kind], whole(run[kind])))))))));
  const firstBy = (runs, measure) => { const best = Math.max(...runs.map((run) => run[measure])); return runs.filter((run) => Math.abs(run[measure] - best) < 1e-12); };
  const list = (runs) => runs.slice(0, 3).flatMap((run, i) => [i ? " and " : "", named(run.name)]).concat(runs.length > 3 ? [" and others"] : []);
  const sentence = (runs) => {
    if (runs.length === 1) return ["Of ", whole(runs[0].n), ` questions ${whole(runs[0].right)} are right, ${whole(runs[0].wrong)} wrong and ${whole(runs[0].silent)} unanswered: c@1 is `, number(runs[0]["c@1"]), "."];
    const [plain, fair] = ["accuracy", "c@1"].map((measure) => firstBy(runs, measure)), same = plain.length === fair.length && plain.every((run) => fair.includes(run));
    return same ? [...list(fair), fair.length > 1 ? " lead together, by accuracy and by c@1." : " leads, by accuracy and by c@1."] : ["By accuracy ", ...list(plain), plain.length > 1 ? " lead together" : " leads", "; when silence counts, by c@1, it is ", ...list(fair), "."];
  };
  const compare = (runs, groups) => {
    const box = make("section", {}), pick = (label, i) => { const select = make("select", { id: `score-${label}` }, ...runs.map((run, k) => make("option", { value: String(k), textContent: run.name }))); select.value = String(i); return select; };
    const [one, other] = [pick("first", 0), pick("second", 1)], told = make("div", { role: "status" });
    const tell_ = () => {
      const [a, b] = [runs[Number(one.value)], runs[Number(other.value)]];
      if (a === b) return told.replaceChildren(make("p", { textContent: "Choose two different runs." }));
      const pairs = new Array(9).fill(0);
      a.cells.forEach((state, i) => pairs[3 * (state % 3) + (b.cells[i] % 3)]++);
      const made = statistics.paired(pairs, LEVEL), [main, better] = [made["c@1"], made["c@1"].difference > 0];
      if (groups) return told.replaceChildren(make("p", {}, "The difference in c@1 is ", number(main.difference, true), ". With clusters of questions, whole clusters are exchanged in the test, which this page does not compute: ", make("code", { textContent: command("compare") }), " does."));
      const verdict = main.p < 0.05 ? [named(a.name), ` is significantly ${better ? "better" : "worse"} than `, named(b.name), " by c@1"] : ["These questions cannot tell ", named(a.name), " and ", named(b.name), " apart by c@1"];
      const more = runs.length > 2 ? [make("p", { className: "small", textContent: `This is one of ${whole((runs.length * (runs.length - 1)) / 2)} pairs. If you chose it by its scores, the p-value is too small: nescio compare corrects for all pairs.` })] : [];
      told.replaceChildren(make("p", { className: "answer" }, ...verdict, " (p = ", chance(main.p), ")."), make("div", { className: "scroll", role: "region", "aria-label": "Differences", tabIndex: 0 }, make("table", { className: "plain" }, head("measure", "difference", "exact p"),
        make("tbody", {}, ...Object.entries(made).map(([measure, { difference, interval, p }]) => make("tr", {}, make("th", { scope: "row", textContent: measure }), make("td", {}, number(difference, true), ...between(interval, true)), make("td", {}, chance(p))))))),
      make("p", { className: "small", textContent: `Exact paired test: on ${whole(a.n - pairs[0] - pairs[4] - pairs[8])} of ${whole(a.n)} questions the two runs differ. Intervals are Student's, over questions.` }), ...more);
    };
    one.addEventListener("change", tell_);
    other.addEventListener("change", tell_);
    box.append(make("p", { className: "lead" }, make("label", { for: "score-first", textContent: "Is " }), one, make("label", { for: "score-second", textContent: " really better than " }), other, "?"), told);
    tell_();
    return box;
  };
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  let options = [];
  const command = (verb) => ["nescio", verb, quoted(name), ...options.map(quoted)].join(" ");
  const show = (found) => {
    options = found.options;
    const plain = found.runs.map((run) => { const all = tallied(run); return { run, by: statistics.measures["c@1"](all.right, all.silent, all.n) }; }).sort((a, b) => b.by - a.by).slice(0, MOST_RUNS);
    const runs = plain.map(({ run }) => score(run, found.groups)), many = found.runs.length;
    const notes = [...found.notes, ...(many > MOST_RUNS ? [`These are the ${MOST_RUNS} runs with the highest c@1, of ${whole(many)}.`] : []), ...(many > MOST_BARS ? [`The picture shows the first ${MOST_BARS}.`] : []),
      ...(runs.some((run) => Math.min(run.right, run.n - run.right) <= 5) ? ["A run has five questions or fewer that went one way: treat its intervals as approximate."] : [])];
    const same = found.counts && !name ? `nescio c@1 ${runs[0].right} ${runs[0].wrong} ${runs[0].silent}` : command("score");
    const next = make("p", { className: "next" }, "The same from the command line: ", make("code", { textContent: same }), ...(runs.length > 1 && !found.counts ? [" and ", make("code", { textContent: command("compare") })] : []), ".");
    out.replaceChildren(make("p", { className: "answer first" }, ...sentence(runs)), bars(runs), scores(runs), ...(runs.length > 1 && !found.counts ? [compare(runs, found.groups)] : []), ...notes.map((note) => make("p", { className: "small", textContent: note })), next);
  };
})();
