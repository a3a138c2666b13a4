// What tests look up in a page: functions by name.
({
  // Nothing fades any more, and what a scroll or a pointer began is drawn.
  still: async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0)));
  },

  // The rows of questions in sight, from above: their cells.
  cells: () => [...document.querySelectorAll('.grid-body .row')].filter((row) => row.style.display !== 'none')
    .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
    .map((row) => [...row.querySelectorAll('.cell')].map((cell) => (cell.querySelector('bdi') ?? cell).textContent)),

  // Texts of a drawing of which one lies over another.
  overlaps: (plot) => {
    const texts = [...plot.querySelectorAll('text')]
      .filter((t) => t.getClientRects().length && t.textContent.trim() && getComputedStyle(t).opacity > 0);
    const boxes = texts.map((t) => [t.textContent, t.getBoundingClientRect()]);
    const found = [];
    for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
      const [a, b] = [boxes[i][1], boxes[j][1]];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const up = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && up > 4) found.push([boxes[i][0], boxes[j][0], across, up]);
    }
    return found;
  },

  // Of each coloured symbol of a legend how far it is from the end of the label to its left on the same line; infinite,
  // which comes as null, for the first of a line.
  gaps: (svg) => {
    const texts = [...svg.querySelectorAll('text')].map((t) => t.getBoundingClientRect());
    const symbols = [...svg.querySelectorAll('rect, circle')].map((p) => p.getBoundingClientRect())
      .filter((b) => b.width > 4 && b.width < 16 && b.height > 4 && b.height < 16);
    const beside = (s, t) => t.right > s.left - 200 && t.left < s.left && Math.abs(t.y + t.height / 2 - s.y - s.height / 2) < 6;
    return symbols.map((s) => Math.min(...texts.filter((t) => beside(s, t)).map((t) => s.left - t.right)));
  },

  // The places of all texts of a drawing: what it says, the middle, and the right end (numbers of an upright axis end
  // there).
  texts: (plot) => {
    plot.scrollIntoView({ block: 'center', behavior: 'instant' });
    return [...plot.querySelectorAll('text')].filter((t) => t.getClientRects().length).map((t) => {
      const box = t.getBoundingClientRect();
      return [t.textContent, box.x + box.width / 2, box.y + box.height / 2, box.right];
    });
  },

  // Of each mark of the charts whether it is a run's, and whether it is faded.
  faded: (run) => [...document.querySelectorAll('.plot svg [data-run]')].filter((mark) => mark.getClientRects().length)
    .map((mark) => [mark.dataset.run.split(' ').includes(run), Number(getComputedStyle(mark).opacity) < 0.15]),

  // By how much the marks of the charts, and the colours of outcomes, stand out from the paper.
  contrasts: () => {
    const light = (colour) => {
      const e = document.createElement('i');
      e.style.color = colour.startsWith('--') ? `var(${colour})` : colour;
      document.body.append(e);
      const shown = getComputedStyle(e).color;
      e.remove();
      const [r, g, b] = shown.match(/[\d.]+/g).slice(0, 3)
        .map((v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
      return [0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05, shown];
    };
    const fills = [...document.querySelectorAll('.plot .wide :is(path, rect, circle)[data-tip]')].map((p) => getComputedStyle(p).fill);
    const [paper] = light('--paper'), [, line] = light('--line');  // squares of tied runs carry a sign
    const drawn = [...new Set(fills)].filter((colour) => colour !== line && colour !== 'none');
    return ['--correct', '--incorrect', '--unanswered', '--edge', ...drawn]
      .map((colour) => [colour, Math.max(light(colour)[0] / paper, paper / light(colour)[0])]);
  },
})
