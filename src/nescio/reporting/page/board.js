// The leaderboard: sorted by any column, and kept as a file.
(() => {
  const { $, keep } = page;
  const board = $("board"), heads = [...board.tHead.rows[0].cells];
  const sortBy = (place) => {
    const head = heads[place], lower = head.firstElementChild.dataset.lower === "1";
    const now = head.getAttribute("aria-sort");
    const up = now ? now === "descending" : lower;
    const key = (row) => { const cell = row.cells[place]; return cell.dataset.sort === undefined ? cell.textContent : cell.dataset.sort === "" ? NaN : parseFloat(cell.dataset.sort); };
    const order = (a, b) => {
      const x = key(a), y = key(b);
      if (typeof x === "string") return (up ? 1 : -1) * x.localeCompare(y);
      return isNaN(x) ? (isNaN(y) ? 0 : 1) : isNaN(y) ? -1 : (up ? 1 : -1) * (x - y);
    };
    board.tBodies[0].append(...[...board.tBodies[0].rows].sort(order));
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  heads.forEach((head, place) => head.firstElementChild.addEventListener("click", () => sortBy(place)));
  const boardRows = () => {
    const named = heads.map((head) => head.firstElementChild.textContent.trim());
    const values = named.slice(2, -1);
    const rows = [...board.tBodies[0].rows].map((row) => {
      const cells = [...row.cells];
      const numbers = cells.slice(2, -1).flatMap((cell) => {
        const small = cell.querySelector("small");
        const [low, high] = small ? small.textContent.slice(1, -1).split(", ").map(Number) : [null, null];
        return [cell.dataset.sort === "" ? null : Number(cell.dataset.sort), low, high];
      });
      return [cells[0].firstChild.textContent.trim(), cells[1].dataset.name, ...numbers, cells.at(-1).textContent.replaceAll(",", "")];
    });
    return [["rank", "run", ...values.flatMap((name) => [name, name + " low", name + " high"]), "n"], ...rows];
  };
  document.querySelector("button.download[data-table]").addEventListener("click", () => keep("leaderboard", boardRows()));
})();
