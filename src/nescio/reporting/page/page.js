// What every page does: theme, hints and data of charts. All text goes in by textContent.
const page = (() => {
  const held = JSON.parse(document.getElementById("data").textContent);
  Object.assign(held, unpack.list(held.packed));
  if (held.browser) Object.assign(held.browser, { questions: unpack.list(held.browser.questions), ids: unpack.list(held.browser.ids) });
  const $ = (id) => document.getElementById(id);
  const make = (tag, props = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) name.includes("-") || name === "role" ? node.setAttribute(name, value) : (node[name] = value);
    node.append(...children);
    return node;
  };
  const isolated = (text) => make("bdi", { textContent: text });

  // --- theme: as the system until someone chooses
  const theme = $("theme");
  const remember = (value) => { try { if (value) localStorage.setItem("nescio-theme", value); return localStorage.getItem("nescio-theme"); } catch { return null; } };
  const dress = (value) => { document.documentElement.style.colorScheme = value; theme.value = value; };
  if (["light", "dark"].includes(remember())) dress(remember());
  theme.addEventListener("change", () => { dress(theme.value); remember(theme.value); });
  addEventListener("beforeprint", () => { document.documentElement.style.colorScheme = "light"; document.querySelectorAll(".listed").forEach((each) => { each.open = true; }); });
  addEventListener("afterprint", () => { document.documentElement.style.colorScheme = theme.value; });

  // --- files to keep: a cell that a spreadsheet would take for a formula is made inert, as `nescio -f csv` does
  const field = (value) => {
    if (value === null || value === undefined) return "";
    let text = String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const keep = (name, rows) => {
    const text = rows.map((row) => row.map(field).join(",")).join("\n") + "\n";
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name + ".csv" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // --- figures: data as file and as table, hints for mouse, finger and keyboard
  document.querySelectorAll("button.download[data-figure]").forEach((button) => button.addEventListener("click", () => {
    const own = held[button.dataset.figure];
    keep(button.dataset.figure, [own.columns, ...own.rows]);
  }));
  const MOST_SHOWN = 500;
  const shown = (value) => (value === null ? "–" : typeof value !== "number" || Number.isInteger(value) ? String(value) : Math.abs(value) < 0.001 ? value.toPrecision(2) : value.toFixed(4));
  document.querySelectorAll("details.table").forEach((details) => details.addEventListener("toggle", () => {
    const place = details.querySelector("div"), own = held[details.dataset.figure];
    if (place.firstChild || !details.open) return;
    const texts = own.columns.map((_, i) => own.rows.some((row) => typeof row[i] === "string"));
    const cell = (tag, value, i) => make(tag, { className: texts[i] ? "text" : "" }, isolated(shown(value)));
    const head = make("tr", {}, ...own.columns.map((name, i) => { const th = cell("th", name.replaceAll("_", " "), i); th.scope = "col"; return th; }));
    const rows = own.rows.slice(0, MOST_SHOWN).map((row) => make("tr", {}, ...row.map((value, i) => cell("td", value, i))));
    place.append(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    if (own.rows.length > MOST_SHOWN) place.append(make("p", { textContent: `The first ${MOST_SHOWN} of ${own.rows.length} rows; the download has them all.` }));
  }));

  // --- hints: what the pointer is on, or the point of a line that is nearest to it; keys step through marks and points
  const REACH = 40; // pixels from a point of a line at which it is meant
  const tip = $("tip"), ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ring.setAttribute("class", "spot");
  ring.setAttribute("r", "5");
  let lit = null, spot = null; // the stop that is explained, and the plot and place of the pointer if it pointed there
  const written = (template, columns, row) => template.replace(/\{(\w+)(%|\.\d)?\}/g, (_, name, how) => {
    const value = row[columns.indexOf(name)];
    return value === null ? "undefined" : how === "%" ? (100 * value).toFixed(1) + "%" : how ? value.toFixed(Number(how[1])) : String(value);
  });
  const known = new WeakMap();
  const pointsOf = (path, name) => { // the points of a line are rows of the figure's data, in its order
    if (known.has(path)) return known.get(path);
    const own = held[name], [first, many] = path.dataset.line.split(" ").map(Number);
    const numbers = path.getAttribute("d").match(/-?\d*\.?\d+(?:e[-+]?\d+)?/g).map(Number);
    const clip = document.getElementById(path.closest("[clip-path]")?.getAttribute("clip-path").slice(5, -1))?.firstElementChild;
    const high = clip ? Number(clip.getAttribute("y") ?? 0) + Number(clip.getAttribute("height")) : Infinity;
    const points = numbers.length === 2 * many ? own.rows.slice(first, first + many).map((row, i) => ({ path, x: numbers[2 * i], y: numbers[2 * i + 1], text: written(own.hint, own.columns, row) })) : [];
    known.set(path, points.filter((point) => point.y <= high));
    return known.get(path);
  };
  const inSight = (plot, what) => [...plot.querySelectorAll(what)].filter((mark) => mark.getClientRects().length);
  const seriesOf = (plot) => [inSight(plot, "[data-tip]").map((mark) => ({ mark, text: mark.dataset.tip })), ...inSight(plot, "[data-line]").map((path) => pointsOf(path, plot.dataset.figure))].filter((series) => series.length);
  const placeOf = (stop) => {
    if (stop.path) return new DOMPoint(stop.x, stop.y).matrixTransform(stop.path.getScreenCTM());
    const box = stop.mark.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const acrossOf = (stop) => placeOf(stop).x - (stop.mark ?? stop.path).ownerSVGElement.getBoundingClientRect().x; // each panel counts from its own left
  const hint = (stop, x, y) => {
    if (lit?.mark) lit.mark.classList.remove("lit");
    ring.remove();
    lit = stop;
    tip.classList.toggle("on", Boolean(stop));
    if (!stop) return;
    if (stop.mark) stop.mark.classList.add("lit");
    else {
      ring.setAttribute("cx", stop.x);
      ring.setAttribute("cy", stop.y);
      stop.path.parentNode.append(ring);
    }
    if (tip.textContent !== stop.text) tip.textContent = stop.text;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16) + "px";
  };
  const nearest = (plot, x, y) => {
    let best = null, least = REACH * REACH;
    for (const path of inSight(plot, "[data-line]")) {
      const there = path.getScreenCTM();
      for (const point of pointsOf(path, plot.dataset.figure)) {
        const far = (there.a * point.x + there.e - x) ** 2 + (there.d * point.y + there.f - y) ** 2;
        if (far < least) [best, least] = [point, far];
      }
    }
    return best;
  };
  const explain = (plot, x, y) => {
    const mark = document.elementFromPoint(x, y)?.closest("[data-tip]");
    spot = [plot, x, y];
    hint(mark && plot.contains(mark) ? { mark, text: mark.dataset.tip } : nearest(plot, x, y), x, y);
  };
  document.querySelectorAll(".plot").forEach((plot) => {
    const at = (event) => explain(plot, event.clientX, event.clientY);
    const leave = () => { spot = null; hint(null); };
    plot.addEventListener("pointermove", at);
    plot.addEventListener("click", at);
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("blur", leave);
    plot.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hint(null);
      const series = seriesOf(plot), all = series.flat(), last = all.length - 1;
      if (!all.length) return;
      const same = (stop) => lit && stop.mark === lit.mark && stop.path === lit.path && stop.x === lit.x;
      const now = all.findIndex(same), along = { ArrowRight: 1, ArrowLeft: -1 }[event.key], across = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const lines = series.some((own) => own[0].path);
      const step = (by) => (now < 0 ? (by > 0 ? 0 : last) : (now + by + all.length) % all.length);
      const other = (by) => { // the point of the next line that is nearest to this one from side to side
        const from = acrossOf(all[now]), next = series[(series.findIndex((own) => own.some(same)) + by + series.length) % series.length];
        return all.indexOf(next.reduce((best, stop) => (Math.abs(acrossOf(stop) - from) < Math.abs(acrossOf(best) - from) ? stop : best)));
      };
      const to = along ? step(along) : across ? (lines && now >= 0 ? other(across) : step(across)) : { Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      spot = null;
      const before = placeOf(all[to]);
      if (before.y < 60 || before.y > innerHeight - 20) (all[to].mark ?? all[to].path).scrollIntoView({ block: "center", behavior: "instant" });
      const after = placeOf(all[to]);
      hint(all[to], after.x, after.y);
    });
  });
  addEventListener("scroll", () => { if (spot) explain(...spot); }, { passive: true });
  return { held, $, make, isolated, keep, pointsOf };
})();
