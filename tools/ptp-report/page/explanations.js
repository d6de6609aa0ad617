// The numbers behind maps: which part of the image has which part of a map.
PTP.mapTable = function (sample, caption) {
  const { make } = PTP;
  const percent = v => (v > 0 ? '+' : '') + (100 * v).toFixed(1) + ' %';
  return make('div', { class: 'pair' }, sample.maps.filter(m => m.grid).map(m => {
    const side = m.grid.length, places = 'smallest ' + PTP.short(m.smallest) + ', largest ' + PTP.short(m.largest) + ', strongest in row ' + m.peak[0] + ', column ' + m.peak[1];
    return PTP.table(['rows', ...Array.from({ length: side }, (_, x) => 'columns ' + m.columns[x] + ' to ' + (m.columns[x + 1] - 1))],
      m.grid.map((row, y) => [m.rows[y] + ' to ' + (m.rows[y + 1] - 1), ...row.map(v => ({ text: percent(v), value: v }))]), caption(m) + ' of sample ' + sample.index + ', as shares of its magnitude; ' + places);
  }));
};

// The maps of a sample by checkpoint: a row for each method, a column for each checkpoint, the newest last.
PTP.mapsByCheckpoint = function (s, sample) {
  const { make } = PTP;
  const of = e => e.samples.find(other => other.index === sample.index && other.file === sample.file);
  const columns = [...s.earlier.filter(of).map(e => ({ name: e.name, ...of(e) })), { name: s.name, ...sample }];
  if (columns.length < 2 || !sample.maps.length) return null;
  const title = name => /^episode_\d+$/.test(name) ? 'episode ' + +name.slice(8) : name;
  const methods = [...new Set(sample.maps.map(m => m.method))];
  const cell = (column, method) => column.maps.filter(m => m.method === method && m.png).map(m => make('figure', {},
    make('img', { src: 'data:image/png;base64,' + m.png, alt: method + ' of sample ' + sample.index + ', ' + title(column.name) }), make('figcaption', {}, m.target ? 'for ' + m.target : '')));
  return PTP.behind('By checkpoint', () => make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'maps of sample ' + sample.index + ' by checkpoint' }, make('table', { class: 'maps' },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'method'), columns.map(c => make('th', { scope: 'col' }, title(c.name) + (c.predicted ? ', predicted ' + c.predicted : ''))))),
    make('tbody', {}, methods.map(method => make('tr', {}, make('th', { scope: 'row' }, method), columns.map(c => make('td', {}, cell(c, method)))))))));
};

// Maps of the pixels that speak for a class: a row for each image, a figure for each method; and attention.
PTP.explanations = function (s) {
  const { make } = PTP;
  const picture = (png, text) => png ? make('img', { src: 'data:image/png;base64,' + png, alt: text }) : make('span', { class: 'faint' }, 'no picture');
  const digits = v => +v.toPrecision(3);
  const facts = m => [
    m.relative_delta === null ? '' : 'delta ' + digits(100 * m.relative_delta) + ' %',
    m.dependence === null ? '' : 'random last layer: ' + digits(m.dependence),
    m.dependence > 0.8 ? 'hardly depends on the model' : '',
  ].filter(Boolean).flatMap(line => [make('br'), make('span', { class: 'faint' }, line)]);
  const rows = s.samples.map(sample => {
    const targets = [...new Set(sample.maps.map(m => m.target || sample.target))];
    const what = (targets.length ? targets : [sample.target]).join(' and ') + (sample.against ? ' and not ' + sample.against : '');
    const title = ['Sample ' + sample.index + (sample.file ? ', ' + sample.file : ''), [sample.predicted ? 'predicted ' + sample.predicted : '', sample.true ? 'true ' + sample.true : '', sample.target ? 'explained ' + what : ''].filter(Boolean).join(', ')].filter(Boolean).join(': ');
    const caption = m => m.method + (targets.length > 1 ? ', for ' + m.target : '');
    return make('section', {},
      make('h3', {}, title),
      sample.png || sample.maps.length ? make('div', { class: 'images' },
        make('figure', {}, picture(sample.png, 'sample ' + sample.index), make('figcaption', {}, 'the image')),
        sample.maps.map(m => make('figure', {}, picture(m.png, caption(m) + ' of sample ' + sample.index), make('figcaption', { title: m.settings }, caption(m), facts(m)))), PTP.attentionPictures(sample.attention, sample.index)) : null,
      PTP.mapsByCheckpoint(s, sample),
      sample.maps.some(m => m.grid) ? PTP.behind('Numbers', () => PTP.mapTable(sample, caption)) : null,
      PTP.attention(sample.attention, sample.index));
  });
  const about = [s.samples.some(sample => sample.maps.length) ? 'Orange speaks for the class, violet against it.' : '', `Of checkpoint ${s.name}, section ${s.section}` + (s.preset ? ', defaults of ' + s.preset : '') + (s.note ? '; ' + s.note : '') + '.',
    s.samples.some(sample => sample.maps.some(m => m.relative_delta !== null)) ? 'delta: how far the sum of a map is from the score that it explains.' : '',
    s.samples.some(sample => sample.maps.some(m => m.dependence !== null)) ? 'random last layer: the rank correlation with the map of the same model whose last layer is random; above 0.8 the map hardly depends on the model.' : ''];
  return make('div', {}, make('p', { class: 'faint' }, about.filter(Boolean).join(' ')), rows);
};
