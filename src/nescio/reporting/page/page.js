// What every page does: theme, hints and data of charts. All text goes in by textContent.
const page = (() => {
  const held = JSON.parse(document.getElementById("data").textContent);
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
  const tip = $("tip");
  let lit = null, spot = null; // the mark that is explained, and where the pointer is if it pointed there
  const hint = (mark, x, y, pointed = false) => {
    if (lit) lit.classList.remove("lit");
    lit = mark;
    spot = pointed ? [x, y] : null;
    tip.classList.toggle("on", Boolean(mark));
    if (!mark) return;
    mark.classList.add("lit");
    if (tip.textContent !== mark.dataset.tip) tip.textContent = mark.dataset.tip;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16) + "px";
  };
  document.querySelectorAll(".plot").forEach((plot) => {
    const at = (event) => { const mark = event.target.closest("[data-tip]"); hint(mark, event.clientX, event.clientY, true); };
    plot.addEventListener("pointermove", at);
    plot.addEventListener("click", at);
    plot.addEventListener("pointerleave", () => hint(null));
    plot.addEventListener("blur", () => hint(null));
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") return hint(null);
      if (!step) return;
      event.preventDefault();
      const marks = [...plot.querySelectorAll("[data-tip]")].filter((mark) => mark.getClientRects().length);
      if (!marks.length) return;
      const now = marks.indexOf(lit), next = now < 0 ? (step > 0 ? 0 : marks.length - 1) : (now + step + marks.length) % marks.length;
      const box = marks[next].getBoundingClientRect();
      if (box.top < 60 || box.bottom > innerHeight) marks[next].scrollIntoView({ block: "center", behavior: "instant" });
      const after = marks[next].getBoundingClientRect();
      hint(marks[next], after.x + after.width / 2, after.y + after.height / 2);
    });
  });
  addEventListener("scroll", () => { if (spot && document.elementFromPoint(...spot) !== lit) hint(null); }, { passive: true });
  return { held, $, make, isolated, keep };
})();
