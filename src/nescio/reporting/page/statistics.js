// What pages compute of counts: the intervals of `nescio score` and the tests of `nescio compare`, figure for figure (tests/reporting/test_statistics.py).
const statistics = (() => {
  const quantile = (sorted, p) => { const place = p * (sorted.length - 1), low = Math.floor(place); return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]); };
  const sumOf = (length, of) => { let total = 0; for (let i = 0; i < length; i++) total += of(i); return total; };

  // --- NumPy's draws: SeedSequence, PCG64, and the ziggurats of Marsaglia & Tsang (2000), so that a posterior has the command's own values
  const words = (seed, stream, block) => {
    const entropy = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0, 0, stream, block], pool = [], state = new BigUint64Array(4);
    let times = 0x43b0d7e5;
    const hashed = (value) => { value ^= times; times = Math.imul(times, 0x931e8875); value = Math.imul(value, times); return value ^ (value >>> 16); };
    const mixed = (x, y) => { const value = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0; return value ^ (value >>> 16); };
    for (let i = 0; i < 4; i++) pool.push(hashed(entropy[i]));
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) if (i !== j) pool[j] = mixed(pool[j], hashed(pool[i]));
    for (let i = 4; i < 6; i++) for (let j = 0; j < 4; j++) pool[j] = mixed(pool[j], hashed(entropy[i]));
    times = 0x8b51f9dd;
    const halves = new Uint32Array(state.buffer);
    for (let i = 0; i < 8; i++) { const value = pool[i % 4] ^ times; times = Math.imul(times, 0x58f38ded); const made = Math.imul(value, times); halves[i] = made ^ (made >>> 16); }
    return state;
  };
  const WIDE = (1n << 128n) - 1n, LONG = (1n << 64n) - 1n, TIMES = 0x2360ed051fc65da44385df649fccf645n, MOST = 2 ** 53;
  const generator = (seed, stream, block) => { // remembers what it drew: every posterior begins from the same numbers
    const [a, b, c, d] = words(seed, stream, block), step = (((c << 64n) | d) << 1n | 1n) & WIDE, drawn = { upper: [], lower: [] }; // 53 bits and 11 bits
    let state = ((step + ((a << 64n) | b)) * TIMES + step) & WIDE;
    drawn.more = () => {
      state = (state * TIMES + step) & WIDE;
      const turn = state >> 122n, mixed = ((state >> 64n) ^ state) & LONG, made = ((mixed >> turn) | (mixed << (64n - turn))) & LONG;
      drawn.upper.push(Number(made >> 11n));
      drawn.lower.push(Number(made & 2047n));
    };
    return drawn;
  };
  const ziggurat = (edge, area, height, inverse, most) => {
    const least = new Float64Array(256), width = new Float64Array(256), heights = new Float64Array(256), base = area / height(edge);
    let x = edge, outer = edge;
    least[0] = Math.floor((edge / base) * most); width[0] = base / most; heights[0] = 1;
    width[255] = edge / most; heights[255] = height(edge);
    for (let i = 254; i > 0; i--) {
      x = inverse(area / x + height(x));
      least[i + 1] = Math.floor((x / outer) * most);
      outer = x;
      heights[i] = height(x);
      width[i] = x / most;
    }
    return { edge, least, width, heights };
  };
  const BELL = ziggurat(3.6541528853610088, 0.004928673233974655, (x) => Math.exp(-0.5 * x * x), (y) => Math.sqrt(-2 * Math.log(y)), 2 ** 52);
  const DECAY = ziggurat(7.69711747013105, 0.003949659822581557, (x) => Math.exp(-x), (y) => -Math.log(y), MOST);
  const drawing = (source) => {
    const { upper, lower } = source;
    let at = -1;
    const advance = () => { if (++at === upper.length) source.more(); }, uniform = () => { advance(); return upper[at] / MOST; };
    const within = ({ heights }, i) => (heights[i - 1] - heights[i]) * uniform() + heights[i];
    const normal = () => {
      for (;;) {
        advance();
        const low = lower[at], i = low & 255, size = (upper[at] % 2 ** 50) * 4 + (low >>> 9), sign = low & 256 ? -1 : 1, x = sign * size * BELL.width[i];
        if (size < BELL.least[i]) return x;
        if (i) { if (within(BELL, i) < Math.exp(-0.5 * x * x)) return x; continue; }
        for (;;) {
          const out = -Math.log1p(-uniform()) / BELL.edge, y = -Math.log1p(-uniform());
          if (2 * y > out * out) return Math.floor(size / 256) % 2 ? -(BELL.edge + out) : BELL.edge + out;
        }
      }
    };
    const exponential = () => {
      for (;;) {
        advance();
        const i = (lower[at] >>> 3) & 255, x = upper[at] * DECAY.width[i];
        if (upper[at] < DECAY.least[i]) return x;
        if (!i) return DECAY.edge - Math.log1p(-uniform());
        if (within(DECAY, i) < Math.exp(-x)) return x;
      }
    };
    return (shape) => { // Gamma: Marsaglia & Tsang (2000), below 1 Ahrens & Dieter (1974)
      if (shape === 0 || shape === 1) return shape && exponential();
      if (shape < 1) for (;;) {
        const u = uniform(), v = exponential();
        if (u <= 1 - shape) { const x = u ** (1 / shape); if (x <= v) return x; continue; }
        const y = -Math.log((1 - u) / shape), x = (1 - shape + shape * y) ** (1 / shape);
        if (x <= v + y) return x;
      }
      const b = shape - 1 / 3, c = 1 / Math.sqrt(9 * b);
      for (;;) {
        let x, v;
        do { x = normal(); v = 1 + c * x; } while (v <= 0);
        v = v * v * v;
        const u = uniform();
        if (u < 1 - 0.0331 * (x * x) * (x * x) || Math.log(u) < 0.5 * x * x + b * (1 - v + Math.log(v))) return b * v;
      }
    };
  };
  const BLOCK = 256, generators = new Map();
  const block = (seed, i) => { const key = seed + "/" + i; if (!generators.has(key)) generators.set(key, generator(seed, 0, i)); return generators.get(key); };

  const measures = { "c@1": (c, u, n) => (c + (u * c) / n) / n, accuracy: (c, u, n) => c / n };
  const RARE = 5, ONE_MORE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], JEFFREYS = [[0.5, 0.5, 0.5]];
  /** The interval of each measure: what quantiles of its values under Dirichlet laws and its own value reach over. The laws are one of counts + 1/2, or, where hardly any answer was right or wrong, those with one more of each kind. */
  const posterior = (c, w, u, level, { draws = 10_000, seed = 0 } = {}) => {
    const n = c + w + u, ends = Object.entries(measures).map(([name, measure]) => { const point = measure(c, u, n); return { name, measure, low: point, high: point, drawn: new Float64Array(draws) }; });
    for (const prior of Math.min(c, w) <= RARE ? ONE_MORE : JEFFREYS) {
      for (let i = 0, gamma; i < draws; i++) {
        if (i % BLOCK === 0) gamma = drawing(block(seed, i / BLOCK));
        const right = gamma(c + prior[0]), wrong = gamma(w + prior[1]), silent = gamma(u + prior[2]), scale = n / (right + wrong + silent);
        for (const { measure, drawn } of ends) drawn[i] = measure(right * scale, silent * scale, n);
      }
      for (const one of ends) {
        one.drawn.sort();
        one.low = Math.min(one.low, quantile(one.drawn, (1 - level) / 2));
        one.high = Math.max(one.high, quantile(one.drawn, (1 + level) / 2));
      }
    }
    return Object.fromEntries(ends.map(({ name, low, high }) => [name, [low, high]]));
  };

  /** Wilson's interval of a proportion; `z` is the normal quantile of its level. */
  const wilson = (hits, m, z) => {
    const z2 = z * z, p = hits / m, centre = (p + z2 / (2 * m)) / (1 + z2 / m);
    const half = (z / (1 + z2 / m)) * Math.sqrt((p * (1 - p)) / m + z2 / (4 * m * m));
    return [hits <= 0 ? 0 : Math.max(0, centre - half), hits >= m ? 1 : Math.min(1, centre + half)];
  };

  // --- Student's interval of a value that units move, by their influence (CR2 with Satterthwaite's degrees of freedom)
  const halfStep = (z) => { // Γ(z + 1/2)/Γ(z)
    let times = 1;
    for (; z < 40; z++) times *= z / (z + 0.5);
    const i = 1 / z;
    return times * Math.sqrt(z) * (1 + i * (-1 / 8 + i * (1 / 128 + i * (5 / 1024 + i * (-21 / 32768 + i * (-399 / 262144 + i * (869 / 4194304)))))));
  };
  /** How many standard errors the middle `level` of Student's t reaches, found by Newton's steps on its integral. */
  const student = (freedom, level) => {
    const scale = halfStep(freedom / 2) / Math.sqrt(Math.PI), STEPS = 4000;
    const inside = (angle) => { // Simpson's rule in the angle, where the density is a power of a cosine
      const h = angle / STEPS, f = (i) => Math.exp((freedom - 1) * Math.log(Math.cos(i * h)));
      return 2 * scale * (h / 3) * (f(0) + f(STEPS) + 4 * sumOf(STEPS / 2, (i) => f(2 * i + 1)) + 2 * sumOf(STEPS / 2 - 1, (i) => f(2 * i + 2)));
    };
    let low = 0, high = Math.PI / 2, angle = Math.atan(2 / Math.sqrt(freedom));
    for (let i = 0; i < 100; i++) {
      const off = inside(angle) - level, next = angle - off / (2 * scale * Math.cos(angle) ** (freedom - 1));
      if (off > 0) high = angle; else low = angle;
      const to = next > low && next < high ? next : (low + high) / 2;
      if (Math.abs(to - angle) < 1e-15 * to) break;
      angle = to;
    }
    return Math.sqrt(freedom) * Math.tan(angle);
  };
  /** The standard error of a value and its degrees of freedom: kinds of unit with their influence, their questions and how often there are. */
  const unitError = (influence, size, times) => {
    const K = times.length, dot = (of) => sumOf(K, (k) => times[k] * of(k)), units = dot(() => 1), n = dot((k) => size[k]);
    if (units < 2) return [NaN, NaN];
    const mean = dot((k) => influence[k]) / units, share = (k) => size[k] / n, along = (k) => (size[k] * share(k)) / (1 - share(k));
    const error = Math.sqrt(dot((k) => (influence[k] - mean) ** 2 / (1 - share(k))));
    const even = (n * n) / (dot((k) => size[k] ** 2) + dot(along) ** 2 - dot((k) => along(k) ** 2));
    const square = dot((k) => (influence[k] - mean) ** 2) / units, kurtosis = dot((k) => (influence[k] - mean) ** 4) / units / square ** 2;
    const most = Math.max(1, units - 1);
    return [error, Math.min(even, square > 0 && kurtosis > 1 && K > 1 ? Math.min(most, Math.max(1, (2 * units) / (kurtosis - 1))) : most)];
  };
  /** Student's interval of a share on the logit scale, or of what has no limits; null where the units do not say how far it may move. */
  const studentInterval = (point, error, freedom, level, limited) => {
    const near = 1e-12 * Math.max(1, Math.abs(point));
    if (!(error > near) || (limited && !(Math.min(point, 1 - point) > near))) return null;
    const reach = student(freedom, level) * error;
    if (!limited) return [point - reach, point + reach];
    const factor = Math.exp(Math.min(reach * (1 / point + 1 / (1 - point)), 700));
    return [point / (point + (1 - point) * factor), 1 - (1 - point) / (1 - point + point * factor)];
  };
  /** At a limit that so many independent units agree with. */
  const atLimit = (point, units, level) => { const room = -Math.expm1(Math.log((1 - level) / 2) / units); return point > 0.5 ? [1 - room, 1] : [0, room]; };
  /** The intervals of c@1, accuracy and coverage of clusters, each of which has so many right, wrong and silent. */
  const clustered = (clusters, level) => {
    const total = [0, 1, 2].map((k) => sumOf(clusters.length, (i) => clusters[i][k])), n = total[0] + total[1] + total[2], [a, , s] = total.map((count) => count / n), g = 1 - s;
    const size = clusters.map(([c, w, u]) => c + w + u), times = size.map(() => 1);
    const moves = [([c, , u], m) => (1 + s) * (c - m * a) + a * (u - m * s), ([c], m) => c - m * a, ([c, w], m) => c + w - m * g];
    return [a + a * s, a, g].map((point, k) => {
      const [error, freedom] = unitError(clusters.map((one, i) => moves[k](one, size[i]) / n), size, times);
      const made = studentInterval(point, error, freedom, level, true);
      return made ?? (clusters.length > 1 && Math.min(point, 1 - point) <= 1e-12 ? atLimit(point, clusters.length, level) : null);
    });
  };

  // --- two runs on the same questions: pairs[3a + b] have the outcome a of the first and b of the second (right, wrong, silent)
  const binomial = (n) => { // chances of Bin(n, 1/2) where they weigh anything, and the count of the first of them
    const middle = Math.floor(n / 2), reach = 5 * (Math.floor(Math.sqrt(n)) + 1), down = [], up = [];
    for (let k = middle, p = 1; k > Math.max(0, middle - reach); k--) { p *= k / (n - k + 1); down.push(p); }
    for (let k = middle, p = 1; k < Math.min(n, middle + reach); k++) { p *= (n - k) / (k + 1); up.push(p); }
    const all = [...down.reverse(), 1, ...up], total = sumOf(all.length, (i) => all[i]), chance = all.map((p) => p / total);
    const first = chance.findIndex((p) => p > 1e-19), kept = chance.filter((p) => p > 1e-19);
    return [middle - down.length + first, kept];
  };
  const SMALLEST = 1e-16, TIE = 1e-10;
  /** P(|Σ step (2B - size)| ≥ observed) where B is Bin(size, 1/2), of three kinds at most; below 1e-16 it is 1e-16. */
  const exactSum = (sizes, steps, observed) => {
    const largest = Math.max(...steps.map((step, k) => (sizes[k] ? Math.abs(step) : 0))), kinds = [];
    steps.map(Math.abs).map((step, k) => [step, sizes[k]]).filter(([step, size]) => size && step > 1e-13 * largest).sort((a, b) => a[0] - b[0])
      .forEach(([step, size]) => { const last = kinds.at(-1); if (last && step - last[0] <= 1e-12 * largest) { last[0] = Math.max(last[0], step); last[1] += size; } else kinds.push([step, size]); });
    const most = sumOf(kinds.length, (k) => kinds[k][0] * kinds[k][1]);
    if (!kinds.length || observed <= 1e-13 * most) return 1;
    if (2 * Math.exp((-0.5 * (observed / largest) ** 2) / sumOf(kinds.length, (k) => kinds[k][1] * (kinds[k][0] / largest) ** 2)) < SMALLEST) return SMALLEST;
    kinds.sort((a, b) => b[1] - a[1]);
    const laws = kinds.map(([, size]) => binomial(size)), [step, size] = kinds[0], [first, chance] = laws[0], above = new Float64Array(chance.length + 1);
    for (let i = chance.length - 1; i >= 0; i--) above[i] = above[i + 1] + chance[i];
    const across = (k) => (k < kinds.length ? laws[k][1].map((p, i) => [p, (kinds[k][0] * (2 * (laws[k][0] + i) - kinds[k][1])) / (2 * step)]) : [[1, 0]]);
    const second = across(1), third = across(2), least = ((observed * (1 - TIE)) / step + size) / 2 - 1e-9 - first;
    let total = 0;
    for (const [p, x] of second) {
      let inner = 0;
      for (const [q, y] of third) inner += q * above[Math.min(chance.length, Math.max(0, Math.ceil(least - x - y)))];
      total += p * inner;
    }
    return Math.min(1, Math.max(SMALLEST, 2 * total));
  };
  /** The interval of a difference of shares, none of its ends beyond what it can be; null where both were. */
  const withinRange = (made) => (!made || (made[0] <= -1 && made[1] >= 1) ? null : [Math.max(made[0], -1), Math.min(made[1], 1)]);
  /** First minus second in c@1 and in accuracy, each with Student's interval and the exact p of all exchanges of the two labels. */
  const paired = (pairs, level) => {
    const n = sumOf(9, (k) => pairs[k]), of = (a, b) => pairs[3 * a + b], is = (state, k) => Number(state === k);
    const [first, second] = [(a) => of(a, 0) + of(a, 1) + of(a, 2), (b) => of(0, b) + of(1, b) + of(2, b)].map((many) => ({ right: many(0), silent: many(2) }));
    const right = first.right + second.right, silent = first.silent + second.silent;
    const apart = [of(0, 1) + of(1, 0), of(0, 2) + of(2, 0), of(2, 1) + of(1, 2)]; // right and wrong, right and silent, silent and wrong
    // Whoever has which label, the right answers of both and the silent ones stay as many, so that what an exchange moves is constant.
    const forRight = (2 * n + silent) / (2 * n * n), forSilent = right / (2 * n * n);
    const steps = { "c@1": [forRight, forRight - forSilent, forSilent], accuracy: [1 / n, 1 / n, 0] };
    const moved = {
      "c@1": (run, state) => ((1 + run.silent / n) * (is(state, 0) - run.right / n) + (run.right / n) * (is(state, 2) - run.silent / n)) / n,
      accuracy: (run, state) => (is(state, 0) - run.right / n) / n,
    };
    return Object.fromEntries(Object.entries(measures).map(([name, measure]) => {
      const difference = measure(first.right, first.silent, n) - measure(second.right, second.silent, n), there = [...pairs.keys()].filter((k) => pairs[k]);
      const [error, freedom] = unitError(there.map((k) => moved[name](first, Math.floor(k / 3)) - moved[name](second, k % 3)), there.map(() => 1), there.map((k) => pairs[k]));
      const unseen = freedom < 6 && error * n < 0.3; // few questions move the runs, by less than one other could
      return [name, { difference, interval: unseen ? null : withinRange(studentInterval(difference, error, freedom, level, false)), p: exactSum(apart, steps[name], Math.abs(difference)) }];
    }));
  };

  return { posterior, wilson, clustered, paired, measures };
})();
