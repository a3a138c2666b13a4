// The errors that a reader tolerates: which run and threshold can be held to them. The choice moves the slider of that run, a mark on its curve, the list to read and the address.
(() => {
  const { held, $, make, isolated } = page;
  const own = held.deciding;
  if (!own || !$("d-risk")) return;
  const percent = (share, digits = 0) => (100 * share).toFixed(digits) + "%";
  const above = (share) => { const digits = share < 0.1 ? 1 : 0, step = 10 ** (2 + digits); return percent(Math.ceil(share * step - 1e-9) / step, digits); };
  const whole = (value) => value.toLocaleString("en");
  const plain = (value) => String(Number(value.toPrecision(3)));
  const found = own.promises.map(([run, place, threshold, answered, wrong, upper]) => ({ run, place, threshold, answered, wrong, upper }));
  const best = (risk) => found.filter((one) => one.upper <= risk && one.answered).reduce((first, one) => {
    const gain = one.answered - one.wrong - (first ? first.answered - first.wrong : -Infinity);
    return gain > 0 || (gain === 0 && one.wrong < first.wrong) ? one : first;
  }, null);
  const at = (one) => (one.threshold === null ? "as it is" : `at threshold ${plain(one.threshold)}`);
  const tell = (one) => {
    const name = own.runs[one.run], n = own.n[one.run];
    return [isolated(name), ` ${at(one)}: it answers ${whole(one.answered)} of ${whole(n)} (${percent(one.answered / n)}), ${whole(one.wrong)} of these wrongly. On other questions like these, at most ${above(one.upper)} of its answers are wrong, with ${percent(own.level)} confidence for all runs and thresholds together.`];
  };
  const needed = (risk) => Math.ceil(Math.log((1 - own.level) / own.tried) / Math.log1p(-risk) - 1e-9);
  const why = (answers) => (found.some((each) => each.answered >= answers) ? " Too many of the answers are wrong." : ` At least ${whole(answers)} error-free answers would be needed.`);
  const mark = (one) => {
    document.querySelectorAll(".chosen").forEach((each) => each.remove());
    if (one?.threshold === null || !one) return;
    const name = own.runs[one.run], share = one.answered / own.n[one.run], figure = held.risk;
    if (!figure) return;
    const column = (what) => figure.columns.indexOf(what);
    document.querySelectorAll('#figure-risk .plot [data-line]').forEach((path) => {
      const points = page.pointsOf(path, "risk"), first = Number(path.dataset.line.split(" ")[0]);
      if (!points.length || figure.rows[first][column("run")] !== name) return;
      const near = points.reduce((a, b, i) => (Math.abs(figure.rows[first + i][column("coverage")] - share) < Math.abs(figure.rows[first + a][column("coverage")] - share) ? i : a), 0);
      const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      for (const [key, value] of Object.entries({ cx: points[near].x, cy: points[near].y, r: 7, class: "chosen" })) ring.setAttribute(key, value);
      path.parentNode.append(ring);
    });
  };
  const errors = (one) => `#questions?${new URLSearchParams(one.threshold === null ? { run: `${own.runs[one.run]}|2` } : { show: "sure", of: own.runs[one.run], least: one.threshold.toPrecision(9) })}`;
  const risk = () => Math.min(100, Math.max(0, Number($("d-risk").value) || 0)) / 100;
  const show = (moving) => {
    const one = best(risk()), says = $("d-says"), link = $("d-read");
    const lowest = found.filter((each) => each.answered).reduce((a, b) => (a && a.upper <= b.upper ? a : b), null);
    if (one) says.replaceChildren("Ship ", ...tell(one));
    else says.replaceChildren(`No run reaches ${plain(100 * risk())}%.`, risk() > 0 ? why(needed(risk())) : "", " ", ...(lowest ? ["The lowest that can be promised is ", ...tell(lowest)] : []));
    if (link) link.hidden = !one?.wrong;
    if (link && one) { link.href = errors(one); link.textContent = `Read ${one.wrong === 1 ? "the error" : `the ${whole(one.wrong)} errors`}`; }
    mark(one);
    if (moving && one) page.toPlace?.(own.runs[one.run], one.place);
  };
  const start = $("d-risk").value;
  page.tolerates = () => ($("d-risk").value === start ? "" : $("d-risk").value);
  page.tolerate = (value) => { const now = value ?? start; if (Number.isFinite(Number(now)) && now !== $("d-risk").value) { $("d-risk").value = now; show(true); } };
  $("d-risk").addEventListener("input", () => { show(true); page.keepAddress?.(); });
  $("deciding").addEventListener("submit", (event) => event.preventDefault());
  show(false);
})();
