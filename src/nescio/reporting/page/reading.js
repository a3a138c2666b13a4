// Reading answers: long ones folded, where two differ, what was searched for, and the notes that a reader makes.
const reading = (() => {
  const { held, $, make, keep } = page;
  const own = held.browser;
  if (!own) return null;

  // --- texts: folded where they are long, never clipped
  const FOLDED = 600; // characters of a text that are shown at once
  const folded = (text, nodes = [text]) => (text.length <= FOLDED ? make("div", { className: "said", dir: "auto" }, ...nodes)
    : make("details", { className: "said", dir: "auto" }, make("summary", { textContent: text.slice(0, FOLDED) + "…" }), make("div", {}, ...nodes)));

  // --- where an answer differs from another: the words that their longest common subsequence leaves out
  const MOST_COMPARED = 600; // words of an answer
  const differing = (text, other) => {
    const words = text.split(/(\s+)/), a = words.filter((_, i) => i % 2 === 0), b = other.split(/\s+/);
    if (text === other || a.length > MOST_COMPARED || b.length > MOST_COMPARED) return [text];
    const wide = b.length + 1, longest = new Uint16Array((a.length + 1) * wide);
    for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) {
      longest[i * wide + j] = a[i] === b[j] ? longest[(i + 1) * wide + j + 1] + 1 : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
    const shared = new Set();
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
      if (a[i] === b[j]) { shared.add(i); i++; j++; } else if (longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]) i++; else j++;
    }
    const nodes = [];
    let run = "";
    const close = () => { if (run) nodes.push(make("mark", { textContent: run, title: "differs" })); run = ""; };
    words.forEach((word, k) => { // the space between two words that differ is marked with them
      const differs = k % 2 === 0 ? word && !shared.has(k / 2) : run && k + 1 < words.length && !shared.has((k + 1) / 2);
      if (differs) run += word; else { close(); nodes.push(word); }
    });
    close();
    return nodes;
  };

  // --- what was searched for, marked wherever it is read; no element is made for it
  const light = (words, ...roots) => {
    if (!globalThis.CSS?.highlights) return;
    const ranges = [];
    for (const root of words.length ? roots : []) {
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const text = node.data.toLowerCase();
        for (const word of text.length === node.data.length ? words : []) for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  // --- notes: what a reader holds of an answer; the address keeps them, and notes.csv takes them to `nescio judge`
  const VERDICTS = ["correct", "incorrect", "unanswered"], MOST_NOTES = 500, LONGEST = 1000;
  const notes = new Map(); // by question and run
  const key = (q, r) => q * own.runs.length + r;
  const ids = own.ids ?? own.questions, runIds = own.runIds ?? own.runs;
  const told = () => { $("f-notes").hidden = !notes.size; $("f-notes").textContent = `Download notes.csv (${notes.size.toLocaleString("en")})`; };
  const set = (q, r, verdict, text) => {
    verdict || text ? notes.set(key(q, r), [verdict, text]) : notes.delete(key(q, r));
    told();
  };
  const box = (q, r, heard) => {
    const [verdict, text] = notes.get(key(q, r)) ?? ["", ""];
    const select = make("select", { "aria-label": `your verdict on ${own.runs[r]}` }, make("option", { value: "", textContent: "your verdict" }), ...VERDICTS.map((value) => make("option", { value, textContent: value })));
    const words = make("input", { type: "text", maxLength: LONGEST, value: text, placeholder: "your note", "aria-label": `your note on ${own.runs[r]}` });
    select.value = verdict;
    for (const part of [select, words]) part.addEventListener("change", () => { set(q, r, select.value, words.value.trim()); heard(); });
    return make("div", { className: "note screen" }, select, words);
  };
  $("f-notes").addEventListener("click", () => keep("notes", [["run", "question", "verdict", "note"], ...[...notes].sort((a, b) => a[0] - b[0]).map(([at, [verdict, text]]) => [runIds[at % own.runs.length], ids[Math.floor(at / own.runs.length)], verdict, text])]));
  return {
    folded, differing, light, box,
    noted: (q, r) => notes.has(key(q, r)),
    written: () => [...notes].map(([at, [verdict, text]]) => JSON.stringify([own.questions[Math.floor(at / own.runs.length)], own.runs[at % own.runs.length], verdict, text])),
    read: (lines) => {
      notes.clear();
      for (const line of lines.slice(0, MOST_NOTES)) {
        let parts;
        try { parts = JSON.parse(line); } catch { continue; }
        const [q, r] = Array.isArray(parts) ? [own.questions.indexOf(parts[0]), own.runs.indexOf(parts[1])] : [-1, -1];
        if (q >= 0 && r >= 0) set(q, r, VERDICTS.includes(parts[2]) ? parts[2] : "", String(parts[3] ?? "").slice(0, LONGEST));
      }
      told();
    },
  };
})();
