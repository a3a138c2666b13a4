// One run, emphasised in all charts and tables: while the pointer is on its name, or until its name is chosen again.
(() => {
  const { held, $, make } = page;
  const choice = $("highlight");
  if (!choice) return;
  const sheet = new CSSStyleSheet(); // a rule instead of classes: it holds for rows that are made later too
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let chosen = "";
  const show = (run) => {
    const its = `[data-run~="${run}"]`;
    sheet.replaceSync(run === "" ? "" : `@media screen {
      .plot svg [data-run]:not(${its}) { opacity: 0.1; }
      .panel:not(:has(> ${its})) > svg { opacity: 0.6; }
      tr${its} > *, td${its}, th${its}, .cell${its} { background: var(--lit); }
      tr${its} > :first-child { box-shadow: inset 4px 0 0 var(--link); }
      button.run${its} { font-weight: bold; }
    }`);
    document.querySelectorAll("button.run").forEach((button) => button.setAttribute("aria-pressed", String(chosen !== "" && button.dataset.run === chosen)));
  };
  const choose = (run) => { chosen = run; choice.value = run; show(run); };
  const nameAt = (target) => target.closest?.("button.run, .plot text[data-run]:not([data-run*=' ']), .panel > p[data-run], th[data-run], .cell[role=columnheader][data-run]");
  const ownOf = (name) => name.dataset.run.split(" ")[0];
  document.addEventListener("pointerover", (event) => { const name = event.pointerType === "mouse" && nameAt(event.target); if (name) show(ownOf(name)); });
  document.addEventListener("pointerout", (event) => { if (event.pointerType === "mouse" && nameAt(event.target)) show(chosen); });
  document.addEventListener("click", (event) => { const name = nameAt(event.target); if (name) choose(chosen === ownOf(name) ? "" : ownOf(name)); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && chosen !== "" && !event.defaultPrevented) choose(""); });
  choice.addEventListener("change", () => choose(choice.value));
  page.nameOf = (run, text) => { // a run's name in a table that a script makes
    const short = held.short[run] ?? text;
    return make("button", { type: "button", className: "run", title: short === text ? "" : text, "data-run": String(run), "aria-pressed": String(chosen === String(run)) }, make("bdi", { textContent: short }));
  };
  show("");
})();
