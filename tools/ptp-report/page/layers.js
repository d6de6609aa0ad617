// Values of layers by episode: a picture with a line for each layer, and a table of its numbers.
PTP.layers = function (s) {
  const { make } = PTP;
  const kinds = [...new Set(s.layers.map(l => l.kind))];
  const state = { kind: kinds.includes('operation') ? 'operation' : kinds[0], measure: s.measures.includes('zeros') ? 'zeros' : s.measures[0] };
  const canvas = make('canvas', { class: 'layers', role: 'img', tabindex: 0 });
  const value = make('div', { class: 'faint', 'aria-live': 'off' }, ' ');
  const legend = make('p', { class: 'faint' });
  const table = make('details', {}, make('summary', {}, 'Numbers'));
  const lineHeight = 18;
  let shown = [], places = [];

  const meanings = {
    zeros: 'the share of numbers that are 0; a ReLU near 1 passes nothing on', norm: 'the root of the sum of squares',
    gradient_norm: 'what reaches it in the backward pass', update_ratio: 'how far the step moved a parameter, as a part of its norm',
  };
  const numbers = l => l.values[state.measure] || [];
  // Shares are from 0 to 1; sizes differ by powers of ten.
  const isShare = () => state.measure === 'zeros';
  const isSize = () => /norm|ratio|deviation/.test(state.measure);
  const scaled = v => v === null || (isSize() && v <= 0) ? null : isSize() ? Math.log10(v) : v;

  function draw() {
    shown = s.layers.filter(l => l.kind === state.kind && numbers(l).some(v => v !== null));
    places = [...new Set(shown.flatMap(l => l.episodes))].sort((a, b) => a - b);
    const all = shown.flatMap(l => numbers(l).map(scaled)).filter(v => v !== null);
    const low = isShare() ? 0 : Math.min(...all), high = isShare() ? 1 : Math.max(...all);
    const back = v => isSize() ? 10 ** v : v;
    legend.textContent = !all.length ? 'no numbers of this kind' : state.measure + (meanings[state.measure] ? ': ' + meanings[state.measure] : '') + '. Pale: ' + +back(low).toPrecision(3) + ', dark: ' + +back(high).toPrecision(3) + (isSize() ? ', by powers of ten' : '') + '; episodes ' + places[0] + ' to ' + places[places.length - 1] + (s.note ? '; ' + s.note : '');
    canvas.setAttribute('aria-label', state.measure + ' of ' + state.kind + 's by episode; the numbers are in the table below');
    const width = canvas.clientWidth || 800, left = Math.min(220, width / 3), context = canvas.getContext('2d');
    canvas.width = width;
    canvas.height = lineHeight * Math.max(1, shown.length);
    context.font = '12px system-ui, sans-serif';
    const cell = (width - left) / Math.max(1, places.length);
    shown.forEach((l, y) => {
      context.fillStyle = PTP.css('--text');
      context.fillText(l.name, 0, y * lineHeight + 13, left - 6);
      context.fillStyle = PTP.css('--accent');
      l.episodes.forEach((episode, i) => {
        const v = scaled(numbers(l)[i]);
        if (v === null) return;
        context.globalAlpha = 0.06 + 0.94 * (high > low ? (v - low) / (high - low) : 1);
        context.fillRect(left + places.indexOf(episode) * cell, y * lineHeight + 1, Math.max(1, cell - 0.5), lineHeight - 2);
      });
      context.globalAlpha = 1;
    });
    if (table.open) fill();
  }

  function fill() {
    const rows = shown.map(l => {
      const v = numbers(l), last = v[v.length - 1];
      const real = v.filter(n => n !== null);
      return [l.name, v[0], real.length ? Math.min(...real) : null, real.length ? Math.max(...real) : null, last];
    });
    table.replaceChildren(table.firstChild, PTP.table(['layer', 'first', 'smallest', 'largest', 'last'], rows, state.measure + ', four digits'));
  }

  canvas.addEventListener('mousemove', event => {
    const width = canvas.clientWidth, left = Math.min(220, width / 3);
    const l = shown[Math.floor(event.offsetY / lineHeight)];
    const episode = places[Math.floor((event.offsetX - left) / ((width - left) / Math.max(1, places.length)))];
    const i = l ? l.episodes.indexOf(episode) : -1;
    value.textContent = i < 0 ? ' ' : l.name + ', episode ' + episode + ': ' + state.measure + ' ' + PTP.shown(numbers(l)[i]);
  });
  table.addEventListener('toggle', () => { if (table.open) fill(); });
  const choose = (label, values, name) => make('label', {}, label, make('select', { change: e => { state[name] = e.target.value; draw(); } }, values.map(v => make('option', { selected: v === state[name] }, v))));
  const before = PTP.redraw;
  PTP.redraw = () => { if (before) before(); draw(); };
  new IntersectionObserver(entries => { if (entries.some(e => e.isIntersecting)) draw(); }).observe(canvas);
  addEventListener('resize', draw);
  return make('div', {}, make('div', { class: 'controls' }, choose('of', kinds, 'kind'), choose('measure', s.measures, 'measure')), canvas, legend, value, table);
};
