// A page that is served says how far its runs are, and is loaded again when there is a newer version; the address keeps its filters.
(() => {
  const { held, $ } = page;
  const badge = $("live"), says = (refused) => { badge.textContent = refused ? `${held.live.says}; ${refused}` : held.live.says; badge.classList.toggle("refused", Boolean(refused)); };
  says("");
  setInterval(async () => {
    try {
      const now = await (await fetch("/version")).json();
      if (now.version && now.version !== held.live.version) location.reload();
      else says(now.refused);
    } catch { says("the server has ended"); }
  }, 1000);
})();
