// The scores of the questions shown, by the formulas and intervals of `nescio score`. The function returned makes them again, a little later.
const ownScores = (counted, called, scored, view) => {
  const { held, $, make } = page, own = held.browser, R = own.runs.length;
  const DRAWS = 6000, AT_ONCE = 40; // draws of an interval; milliseconds
  const random = (seed) => () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const normal = (next) => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const gamma = (shape, next) => { // Marsaglia & Tsang 2000
    if (shape < 1) return gamma(shape + 1, next) * Math.pow(1 - next(), 1 / shape);
    const d = shape - 1 / 3, c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal(next), v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  const quantile = (sorted, p) => { const place = p * (sorted.length - 1), low = Math.floor(place); return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]); };
  const middle = (values, point) => { values.sort(); const tail = (1 - own.level) / 2; return [Math.min(quantile(values, tail), point), Math.max(quantile(values, 1 - tail), point)]; };
  const cAt1 = (c, u) => c + c * u;
  const wilson = (hits, m) => {
    const z2 = own.z * own.z, p = hits / m, centre = (p + z2 / (2 * m)) / (1 + z2 / m);
    const half = (own.z / (1 + z2 / m)) * Math.sqrt((p * (1 - p)) / m + z2 / (4 * m * m));
    return [hits <= 0 ? 0 : Math.max(0, centre - half), hits >= m ? 1 : Math.min(1, centre + half)];
  };
  const posterior = (c, w, u) => {
    const next = random(c * 7919 + w * 104729 + u), accuracy = new Float64Array(DRAWS), one = new Float64Array(DRAWS);
    for (let i = 0; i < DRAWS; i++) {
      const a = gamma(c + 0.5, next), b = gamma(w + 0.5, next), d = gamma(u + 0.5, next), all = a + b + d;
      accuracy[i] = a / all;
      one[i] = cAt1(a / all, d / all);
    }
    const m = c + w + u;
    return [middle(one, cAt1(c / m, u / m)), middle(accuracy, c / m)];
  };
  const clustered = (r, m, c, u, answered) => {
    const sums = new Map(), a = c / m, s = u / m, g = answered / m;
    for (const q of view()) {
      const state = counted[q * R + r];
      if (!state || state === 5) continue;
      const hit = state === 1 || state === 4 ? 1 : 0, quiet = state === 3 ? 1 : 0, said = state === 1 || state === 2 ? 1 : 0;
      const into = sums.get(own.clusters[q]) ?? [0, 0, 0];
      into[0] += (1 + s) * (hit - a) + a * (quiet - s); into[1] += hit - a; into[2] += said - g;
      sums.set(own.clusters[q], into);
    }
    const k = sums.size;
    if (k < 2) return [null, null, null];
    return [cAt1(a, s), a, g].map((value, i) => {
      let total = 0;
      for (const into of sums.values()) total += into[i] ** 2;
      const half = (own.z * Math.sqrt((k / (k - 1)) * total)) / m;
      return [Math.max(0, value - half), Math.min(1, value + half)];
    });
  };
  const tally = (r) => {
    const count = [0, 0, 0, 0, 0, 0];
    for (const q of view()) count[counted[q * R + r]]++;
    const c = count[1] + count[4], w = count[2], u = count[3], m = c + w + u, answered = count[1] + count[2];
    if (!m) return { m, values: [null, null, null], bounds: () => [null, null, null] };
    const bounds = () => (!own.level ? [null, null, null] : own.clusters ? clustered(r, m, c, u, answered) : [...posterior(c, w, u), wilson(answered, m)]);
    return { m, values: [cAt1(c / m, u / m), c / m, answered / m], bounds };
  };
  $("own-how").append(...(own.words || !own.level ? [] : own.clusters
    ? [`${own.level * 100}% intervals computed in this page by a normal approximation (delta method) that keeps each cluster together. The intervals of the leaderboard come from resampling.`]
    : [`${own.level * 100}% intervals, computed as in `, make("code", { textContent: "nescio score" }), `: c@1 and accuracy from ${DRAWS.toLocaleString("en")} draws of Dirichlet(counts + ½) made in this page, coverage by Wilson's formula. The last digit can differ from the command's, and more digits can differ if few questions are shown.`]));
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
