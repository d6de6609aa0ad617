// Builds the page: header, comparison, curves, then the sections of each run by their kind.
PTP.kinds = {
  curves: () => null,  // drawn for all runs together
  events: s => s.events.length ? ['What was done to the training', PTP.table(['sign', 'episode', 'what', 'details', 'time'], s.events.map(e => [PTP.symbols[e.what] || '•', e.episode, e.what, e.details, e.time]))] : null,
  find_lr: s => ['Learning-rate range test', PTP.findLr(s)],
  samples: s => [s.title, PTP.samples(s)],
  data: s => ['Data', PTP.data(s)],
  model: s => ['Model', PTP.model(s)],
  kernels: s => ['First kernels', PTP.kernels(s)],
  explanations: s => s.samples.length ? ['Explanations', PTP.explanations(s)] : null,
  embeddings: s => ['Embeddings', PTP.embeddings(s)],
  origin: s => s.weights.length || s.processes.length ? ['Origin', PTP.origin(s)] : null,
  layers: s => s.layers.length ? ['Layers', PTP.layers(s)] : null,
  table: s => [s.title, PTP.matrix(s)],
  images: s => [s.title, PTP.make('div', { class: 'images' }, s.images.map(i => PTP.make('figure', {}, PTP.make('img', { src: 'data:image/png;base64,' + i.png, alt: i.name }), PTP.make('figcaption', {}, i.name))))],
  text: s => [s.title, PTP.make('pre', { tabindex: 0 }, s.text)],
  log: s => [s.title, PTP.log(s)],
};

// A log whose lines can be chosen by their level; a line without one belongs to that before it.
PTP.log = function (s) {
  const { make } = PTP;
  const levels = { all: 0, warnings: 1, errors: 2 };
  const entries = [];
  for (const line of s.text.split('\n')) {
    const level = /^\d+-\d\d-\d\d \S+ (trace|debug|info|warning|error|critical) /.exec(line);
    if (level || !entries.length) entries.push({ level: !level ? 0 : level[1] === 'warning' ? 1 : /^(error|critical)$/.test(level[1]) ? 2 : 0, lines: [] });
    entries[entries.length - 1].lines.push(line);
  }
  const count = least => entries.filter(e => e.level >= least).length;
  const pre = make('pre', { tabindex: 0 });
  const draw = least => {
    const chosen = entries.filter(e => e.level >= least);
    pre.replaceChildren(...chosen.map(e => {
      const text = e.lines.join('\n') + '\n';
      return e.level ? make('span', { class: e.level === 1 ? 'warning' : 'error' }, text) : text;
    }));
    if (!chosen.length) pre.append('none');
  };
  draw(0);
  const names = { all: 'all', warnings: 'warnings and errors (' + count(1) + ')', errors: 'errors (' + count(2) + ')' };
  return make('div', {}, make('div', { class: 'controls' }, make('label', {}, 'level', make('select', { change: e => draw(levels[e.target.value]) },
    Object.keys(levels).map(l => make('option', { value: l }, names[l]))))), pre);
};

// A table of the run folder; cells of a matrix of numbers are shaded by their share of the row.
PTP.matrix = function (s) {
  const { make } = PTP;
  const [titles, ...rows] = s.rows;
  if (!titles) return make('p', {}, 'empty');
  const number = c => c !== '' && Number.isFinite(+c) ? +c : c;
  const wrapped = PTP.table(titles, rows.map(r => r.map(number)), s.file + (s.note ? ', ' + s.note : ''));
  if (rows.length > 1 && rows.every(r => r.length === titles.length) && rows.length >= titles.length - 2 && rows.length <= titles.length) {
    wrapped.querySelectorAll('tbody tr').forEach(tr => {
      const cells = [...tr.children].filter(c => c.className === 'number');
      const sum = cells.reduce((a, c) => a + +c.textContent, 0);
      cells.forEach(c => { c.style.backgroundColor = sum > 0 ? 'color-mix(in srgb, var(--accent) ' + Math.round(45 * +c.textContent / sum) + '%, transparent)' : ''; });
    });
  }
  return wrapped;
};

PTP.header = function (data) {
  const { make } = PTP;
  const one = data.listing[0];
  const theme = make('button', { type: 'button', click: () => {
    document.documentElement.dataset.theme = PTP.isDark() ? 'light' : 'dark';
    PTP.redraw();
    if (PTP.redrawParallel) PTP.redrawParallel();
  } }, 'light or dark');
  const title = data.runs.length === 1 ? one.run : data.runs.length + ' runs';
  return make('header', {}, make('h1', {}, title), make('p', {}, data.runs.length === 1 ?
    [one.experiment, one.state + (one.reason ? ' (' + one.reason + ')' : ''), one.began, one.note, (one.tags || []).join(', ')].filter(Boolean).join(' · ') : 'sorted by what they judge, the best first', ' ', theme),
  data.note ? make('p', { class: 'faint' }, data.note) : null,
  data.runs.flatMap(r => r.problems.map(p => make('p', { class: 'problem' }, p))));
};

PTP.build = function (data) {
  const { make } = PTP;
  const main = document.getElementById('report');
  const several = data.runs.length > 1;
  const parts = [PTP.header(data), make('h2', {}, several ? 'Runs' : 'Results'), PTP.summaryTable(data)];
  if (several) parts.push(PTP.parallel(data), PTP.origins(data), PTP.pipelines(data));
  parts.push(make('h2', {}, 'Curves'), ...PTP.charts(data));
  for (const run of data.runs) {
    const box = several ? make('details', {}, make('summary', {}, run.name)) : make('div');
    const fill = () => run.sections.forEach(s => {
      const shown = (PTP.kinds[s.kind] || (() => [s.kind, 'a newer ptp wrote this; its program shows it']))(s);
      if (!shown) return;
      const isLong = s.kind === 'text' || s.kind === 'log';
      box.append(isLong ? make('details', {}, make('summary', {}, shown[0] + (s.note ? ' (' + s.note + ')' : '')), shown[1]) : make('section', {}, make('h2', {}, shown[0]), s.kind === 'images' && s.note ? make('p', { class: 'faint' }, s.note) : null, shown[1]));
    });
    run.show = () => { if (several && box.children.length === 1) fill(); box.open = true; };
    if (several) box.addEventListener('toggle', () => { if (box.children.length === 1) fill(); }); else fill();
    parts.push(several && run === data.runs[0] ? make('h2', {}, 'Each run') : null, box);
  }
  main.replaceChildren(...parts.filter(Boolean));
  const paint = isPrinted => {
    PTP.isPrinted = isPrinted;
    PTP.redraw();
    if (isPrinted) PTP.drawAll();
    if (PTP.redrawParallel) PTP.redrawParallel();
  };
  addEventListener('beforeprint', () => paint(true));
  addEventListener('afterprint', () => paint(false));
  document.documentElement.dataset.ready = 'yes';
};

PTP.unpack().then(PTP.build).catch(error => {
  document.getElementById('report').replaceChildren(PTP.make('p', { class: 'problem' }, 'This report cannot be shown: ' + error.message + '. It needs a browser of 2023 or later; if it is one, the file is cut off.'));
});
