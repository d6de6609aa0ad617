// Attention over words: a table for each sample with the weights of one softmax and one head, darker where they
// are higher. Over places of an image: a picture for each head or row.
// Returns a title for each, with a number where a component has several.
PTP.attentionTitle = (maps, m) => m.component + (maps.filter(o => o.component === m.component).length > 1 ? ' ' + m.number : '');

PTP.attentionPictures = (maps, sample) => maps.flatMap(m => m.pictures.map(p => PTP.make('figure', {},
  p.png ? PTP.make('img', { src: 'data:image/png;base64,' + p.png, alt: `attention of ${PTP.attentionTitle(maps, m)}, ${p.title}, sample ${sample}` }) : PTP.make('span', { class: 'faint' }, 'no picture'),
  PTP.make('figcaption', {}, `attention of ${PTP.attentionTitle(maps, m)}`, PTP.make('br'), p.title + (p.largest === null ? '' : `, up to ${+p.largest.toPrecision(3)}`)))));

PTP.attention = function (maps, sample) {
  const { make } = PTP;
  const title = m => PTP.attentionTitle(maps, m);
  const tables = maps.filter(m => m.weights);
  if (!tables.length) return null;
  const state = { map: tables[0], head: -1 };
  const box = make('div');
  const heads = make('select', { 'aria-label': 'head of sample ' + sample, change: e => { state.head = +e.target.value; draw(); } });
  const choice = make('select', { 'aria-label': 'attention of sample ' + sample, change: e => { state.map = tables[+e.target.value]; choose(); draw(); } },
    tables.map((m, i) => make('option', { value: i }, title(m))));
  const choose = () => {
    state.head = -1;
    heads.replaceChildren(make('option', { value: -1 }, 'mean of the heads'), ...Array.from({ length: state.map.heads }, (_, i) => make('option', { value: i }, 'head ' + (i + 1))));
    heads.disabled = state.map.heads < 2;
  };
  function draw() {
    const m = state.map, columns = m.columns.length, rows = Math.max(1, m.rows.length);
    if (!m.bytes) m.bytes = Uint8Array.from(atob(m.weights), c => c.charCodeAt(0));
    const of = (h, r, c) => m.bytes[(h * rows + r) * columns + c] / 255;
    const weight = (r, c) => {
      if (state.head >= 0) return of(state.head, r, c);
      let sum = 0;
      for (let h = 0; h < m.heads; ++h) sum += of(h, r, c);
      return sum / m.heads;
    };
    const what = m.is_to_itself ? 'a row is a word, and how much it attends to each' : m.rows.length ? 'a row is a step, and how much it attends to each word' : 'how much each word counts';
    box.replaceChildren(make('p', { class: 'faint' }, `${title(m)}: ${what}`), make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `weights of ${title(m)}, sample ${sample}` },
      make('table', { class: 'attention' },
        make('thead', {}, make('tr', {}, m.rows.length ? make('td') : null, m.columns.map(word => make('th', { scope: 'col' }, word)))),
        make('tbody', {}, Array.from({ length: rows }, (_, r) => make('tr', {}, m.rows.length ? make('th', { scope: 'row' }, m.rows[r]) : null,
          m.columns.map((_, c) => {
            const w = weight(r, c);
            const cell = make('td', { class: 'number' }, w < 0.005 ? '' : w.toFixed(2));
            cell.style.backgroundColor = `color-mix(in srgb, var(--accent) ${Math.round(45 * w)}%, transparent)`;
            return cell;
          })))))));
  }
  choose();
  draw();
  const label = (text, select) => make('label', {}, text, select);
  const hasChoice = tables.length > 1 || tables[0].heads > 1;
  return [hasChoice ? make('div', { class: 'controls' }, label('attention of ', choice), label('', heads)) : null, box];
};
