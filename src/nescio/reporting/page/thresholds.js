// Thresholds: a slider a run, and what the run then does; by the formulas of `nescio score`.
(() => {
  const { held, $ } = page;
  if (!held.thresholds) return;
  const rows = [...document.querySelectorAll("#thresholds tbody tr")];
  const percent = (part, whole) => (whole ? (100 * part / whole).toFixed(1) + "%" : "–");
  const count = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(1));
  const price = () => Math.min(0.99, Math.max(0, Number($("t-price").value) || 0));
  const fill = (row, own, place) => {
    const [threshold, correct, incorrect, unanswered, answered, wrong] = place === null ? own.given : own.points[place], n = own.n;
    const cell = (name, text) => { row.querySelector(`[data-is="${name}"]`).textContent = text; };
    cell("threshold", place === null ? "as given" : threshold === null ? "answers nothing" : Number(threshold.toPrecision(6)));
    cell("answered", percent(answered, n));
    cell("risk", percent(wrong, answered));
    cell("c1", n ? (correct / n + (correct / n) * (unanswered / n)).toFixed(3) : "–");
    const t = price();
    cell("penalty", n ? ((correct - (t / (1 - t)) * incorrect) / n).toFixed(3) : "–");
    cell("correct", count(correct));
    cell("incorrect", count(incorrect));
    cell("unanswered", count(unanswered));
    const slider = row.querySelector("input");
    if (place !== null) slider.value = String(place);
    slider.setAttribute("aria-valuetext", row.querySelector('[data-is="threshold"]').textContent);
    row.dataset.place = place === null ? "" : String(place);
  };
  const shown = (row) => (row.dataset.place === "" ? null : Number(row.dataset.place));
  rows.forEach((row, i) => {
    const own = held.thresholds[i];
    row.querySelector("input").addEventListener("input", (event) => fill(row, own, Number(event.target.value)));
    row.querySelectorAll("button[data-to]").forEach((button) => button.addEventListener("click", () => fill(row, own, button.dataset.to === "given" ? null : own[button.dataset.to])));
    fill(row, own, null);
  });
  page.toPlace = (name, place) => { const i = held.thresholds.findIndex((own) => own.run === name); if (i >= 0) fill(rows[i], held.thresholds[i], place); };
  $("t-all").addEventListener("input", (event) => rows.forEach((row, i) => { // every run as near as it comes to one coverage
    const own = held.thresholds[i], wanted = (Number(event.target.value) / 100) * own.n;
    $("t-all-value").textContent = event.target.value + "%";
    fill(row, own, own.points.reduce((best, point, k) => (Math.abs(point[4] - wanted) < Math.abs(own.points[best][4] - wanted) ? k : best), 0));
  }));
  $("t-price").addEventListener("input", () => rows.forEach((row, i) => fill(row, held.thresholds[i], shown(row))));
})();
