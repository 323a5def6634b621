// What a reader does with the figure of the throughput over time; what came of it is left in the element `result`.
(() => {
  const result = {error: null, compared: 0, differing: []};
  try {
    const figure = document.getElementById('throughput_over_time');
    const svg = figure.querySelector('.drawing svg');
    const tip = figure.querySelector('.tip');
    const data = JSON.parse(figure.querySelector('script.data').textContent);
    const [left, top, width, height] = data.plot;
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const send = (type, x, y) => svg.dispatchEvent(new PointerEvent(type, {bubbles: true, button: 0,
      clientX: box.left + x * scale, clientY: box.top + y * scale}));
    const middle = top + height / 2;

    // The table of the figure, which the program wrote: time, then a column for each series.
    const names = [...figure.querySelectorAll('thead th')].slice(1).map(cell => cell.textContent);
    const rows = [...figure.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent));
    const [low, high, from, to] = data.x.e;
    for (const x of new Set(data.xs.flat().filter(x => x !== ''))) {
      send('pointermove', from + (x - low) / (high - low) * (to - from), middle);
      // The crosshair stands at the nearest time with a value. Times are told to the millisecond in the table: two may read alike.
      const there = rows.filter(row => row[0] === figure.plumb.at.toFixed(3) + ' s');
      for (const row of tip.querySelectorAll('div')) {
        const [name, value] = [row.querySelector('span').textContent, row.querySelector('em').textContent];
        const wanted = there.map(cells => cells[names.indexOf(name) + 1]);
        result.compared++;
        if (!wanted.includes(value)) result.differing.push([x, name, value, wanted]);
      }
    }

    send('pointerdown', left + width * 0.25, middle);
    send('pointermove', left + width * 0.5, middle);
    send('pointerup', left + width * 0.5, middle);
    const narrow = figure.plumb.x.high - figure.plumb.x.low;
    result.zoomed = Boolean(svg.querySelector('.redrawn .stroke')) && Math.abs(narrow / (high - low) - 0.25) < 0.02;
    send('dblclick', left + width / 2, middle);
    result.reset = !svg.querySelector('.redrawn') && figure.plumb.x.low === low;

    const key = svg.querySelector('.key-of');
    const mark = svg.querySelector(`.mark[data-m="${key.dataset.m}"]`);
    key.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    result.hidden = mark.style.display === 'none';
    key.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    result.shown = mark.style.display === '';

    const button = figure.querySelector('[data-scale]');
    const before = figure.plumb.y.log;
    button.click();
    result.logarithmic = figure.plumb.y.log === !before && Boolean(svg.querySelector('.redrawn'));
    button.click();

    const theme = document.querySelector('button.theme');
    const seen = [];
    for (let turn = 0; turn < 3; turn++) {
      theme.click();
      seen.push(document.documentElement.dataset.theme ?? 'auto');
    }
    result.theme = new Set(seen).size === 3;

    const lines = figure.plumb.csv().trim().split('\n');
    const told = rows.filter(row => row.slice(1).some(cell => cell !== '–'));
    result.csv = lines.length === told.length + 1 && lines[0].includes(names[0]);
    const parsed = new DOMParser().parseFromString(figure.plumb.standalone(), 'image/svg+xml');
    result.svg = !parsed.querySelector('parsererror') && Boolean(parsed.querySelector('.stroke'));
  } catch (error) {
    result.error = String(error.stack ?? error);
  }
  document.getElementById('result').textContent = JSON.stringify(result);
})();
