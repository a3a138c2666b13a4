// A page that is served is loaded again when its files have changed; the address keeps its filters.
(() => {
  let version = null;
  setInterval(async () => {
    try {
      const now = await (await fetch("/version")).text();
      if (version !== null && now !== version) location.reload();
      version = now;
    } catch { /* the server has ended */ }
  }, 2000);
})();
