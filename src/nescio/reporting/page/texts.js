// The words of questions and answers: parts of the page that are unpacked when someone looks at them.
const texts = (() => {
  const { held } = page;
  const own = held.browser?.texts;
  if (!own) return null;
  const GZIP = 10; // bytes of the head of gzip
  const KEPT = 60; // parts of answers that stay unpacked
  const unpacked = async (id) => {
    const node = document.getElementById(id);
    if (!node) return [];
    const bytes = unpack.raw(node.textContent);
    if (!globalThis.DecompressionStream) return JSON.parse(new TextDecoder().decode(unpack.inflated(bytes.subarray(GZIP))));
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  };
  const parts = new Map();
  const part = (group, i) => {
    const id = `${group}-${i}`;
    if (!parts.has(id)) {
      if (group === "said" && parts.size > KEPT) parts.delete([...parts.keys()].find((key) => key.startsWith("said")));
      parts.set(id, unpacked(id));
    }
    return parts.get(id);
  };
  const n = held.browser.questions.length, asked = new Array(n), lower = new Array(n);
  const plain = (text) => text.normalize().toLowerCase();
  let all = null, heard = () => {};
  const load = () => (all ??= (async () => { // all questions, and all answers where these are few enough to be searched
    for (let i = 0; i * own.asked < n; i++) {
      (await part("asked", i)).forEach((pair, k) => { asked[i * own.asked + k] = pair; });
      heard();
    }
  })());
  let searchable = null;
  const search = () => (searchable ??= (async () => {
    await load();
    for (let q = 0; q < n; q++) lower[q] = plain(asked[q].join("\n"));
    if (!own.searched) return;
    for (let i = 0; i * own.said < n; i++) {
      (await unpacked(`said-${i}`)).forEach((row, k) => { lower[i * own.said + k] += "\n" + plain(row.map((one) => (Array.isArray(one) ? one.join("\n") : one ?? "")).join("\n")); });
    }
  })().then(() => { search.done = true; }));
  return {
    asked, lower, load, search, answers: own.searched,
    get ready() { return Boolean(search.done); },
    onload: (hear) => { heard = hear; },
    said: async (q) => { // of each run [answer, what of it was graded, why], or null
      const row = (await part("said", Math.floor(q / own.said)))[q % own.said] ?? [];
      return row.map((one) => (typeof one === "string" ? [one, "", ""] : one));
    },
    of: async (q) => (await part("asked", Math.floor(q / own.asked)))[q % own.asked] ?? ["", ""],
  };
})();
