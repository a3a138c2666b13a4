// The scores of the questions shown, by the formulas and intervals of `nescio score`. The function returned makes them again, a little later.
const ownScores = (counted, called, scored, view) => {
  const { held, $, make } = page, own = held.browser, R = own.runs.length;
  const AT_ONCE = 40; // milliseconds
  const clustered = (r) => {
    const clusters = new Map();
    for (const q of view()) {
      const kind = [-1, 0, 1, 2, 0, -1][counted[q * R + r]];
      if (kind < 0) continue;
      const these = clusters.get(own.clusters[q]) ?? [0, 0, 0];
      these[kind]++;
      clusters.set(own.clusters[q], these);
    }
    return statistics.clustered([...clusters.values()], own.level);
  };
  const alone = (c, w, u, answered) => {
    const made = statistics.posterior(c, w, u, own.level);
    return [made["c@1"], made.accuracy, statistics.wilson(answered, c + w + u, own.z)];
  };
  const tally = (r) => {
    const count = [0, 0, 0, 0, 0, 0];
    for (const q of view()) count[counted[q * R + r]]++;
    const c = count[1] + count[4], w = count[2], u = count[3], m = c + w + u, answered = count[1] + count[2];
    if (!m) return { m, values: [null, null, null], bounds: () => [null, null, null] };
    const bounds = () => (!own.level ? [null, null, null] : own.clusters ? clustered(r) : alone(c, w, u, answered));
    return { m, values: [...Object.values(statistics.measures).map((measure) => measure(c, u, m)), answered / m], bounds };
  };
  $("own-how").append(...(own.words || !own.level ? [] : [`${own.level * 100}% intervals, computed in this page as `, make("code", { textContent: "nescio score" }), own.clusters ? " does: Student's, by clusters." : " does by itself: from 10,000 draws of Dirichlet laws of the counts with the seed 0, and by Wilson's formula for coverage."]));
  const shownValue = (value, bounds) => (value === null ? ["undefined"] : [value.toFixed(3), ...(bounds ? [make("small", { textContent: `[${bounds[0].toFixed(3)}, ${bounds[1].toFixed(3)}]` })] : [])]);
  let later = 0;
  const score = () => { clearTimeout(later); later = setTimeout(scoreNow, 60); };
  const scoreNow = () => {
    if (scored) return scored.table(view(), called);
    if (own.words) return;
    const rows = own.runs.map((name, r) => ({ r, ...tally(r) })).sort((a, b) => (b.values[0] ?? -1) - (a.values[0] ?? -1));
    $("own").tHead.replaceChildren(make("tr", {}, make("th", { scope: "col", className: "text", textContent: "run" }), ...["c@1", "accuracy", "coverage", "n"].map((name) => make("th", { scope: "col", textContent: name }))));
    const cells = rows.map((row) => row.values.map((value) => make("td", {}, ...shownValue(value, null))));
    $("own").tBodies[0].replaceChildren(...rows.map((row, i) => make("tr", { "data-run": String(row.r) }, make("th", { scope: "row" }, called(row.r)), ...cells[i], make("td", { textContent: row.m.toLocaleString("en") }))));
    const fill = (i) => { // intervals follow a few runs at a time, so that hundreds of runs hold nothing up
      for (const until = performance.now() + AT_ONCE; i < rows.length && performance.now() < until; i++) {
        const bounds = rows[i].bounds();
        cells[i].forEach((cell, k) => cell.replaceChildren(...shownValue(rows[i].values[k], bounds[k])));
      }
      if (i < rows.length) later = setTimeout(() => fill(i), 0);
    };
    fill(0);
  };
  return score;
};
