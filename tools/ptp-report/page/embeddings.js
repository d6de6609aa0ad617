// The vectors of embeddings along their two principal components; a word is found by typing.
PTP.embeddings = function (s) {
  const { make, svg, short } = PTP;
  const range = values => [values.reduce((a, v) => Math.min(a, v ?? a), Infinity), values.reduce((a, v) => Math.max(a, v ?? a), -Infinity)];
  const one = e => {
    const kLabels = 30;
    const places = e.x.map((x, i) => [x, e.y[i], e.words[i], i]).filter(p => p[0] !== null && p[1] !== null);
    const marked = svg('g', { class: 'found' });
    let at = null;
    const figure = PTP.figure({ label: 'principal components of ' + e.name, x: range(e.x), y: range(e.y), xTitle: `first, ${PTP.percent(e.shares[0])} of the variance`, yTitle: `second, ${PTP.percent(e.shares[1])}`, draw: (px, py) => {
      at = p => [px(p[0]), py(p[1])];
      return [places.map(p => svg('circle', { cx: px(p[0]).toFixed(1), cy: py(p[1]).toFixed(1), r: 1.5, class: 'point' }, svg('title', {}, p[2]))),
        places.slice(0, kLabels).map(p => svg('text', { x: (px(p[0]) + 2).toFixed(1), y: py(p[1]).toFixed(1) }, p[2].slice(0, 16))), marked];
    } });
    figure.classList.add('wide');
    const find = text => marked.replaceChildren(...(text ? places.filter(p => p[2].startsWith(text)).slice(0, 20) : []).flatMap(p => {
      const [x, y] = at(p);
      return [svg('circle', { cx: x, cy: y, r: 4 }), svg('text', { x: x + 5, y: y - 3 }, p[2].slice(0, 24))];
    }));
    return make('div', {}, make('h3', {}, `${e.name} ${PTP.sizes(e.sizes, null)}` + (e.words.length < e.sizes[0] ? `, the first ${e.words.length}` : '')),
      make('div', { class: 'controls' }, make('label', {}, 'find ', make('input', { type: 'search', input: event => find(event.target.value) }))),
      make('div', { class: 'pair' }, figure, PTP.table(['№', 'vector', 'first', 'second'], places.map(p => [p[3], p[2], p[0], p[1]]), 'vectors of ' + e.name)));
  };
  return make('div', {}, make('p', { class: 'faint' }, s.file + '; vectors that are close to each other here need not be so in all dimensions'), s.list.map(one));
};

// A mark of a class, whose form and color differ from those of the next classes.
PTP.mark = (i, x, y, r, more) => PTP.svg('path', { d: PTP.markPath(i, x, y, r), fill: `var(--c${i % 7})`, class: 'mark', ...more });

// The vectors of samples along their two principal components, marked by their true class. A point, or a row of the
// table, selects its sample.
PTP.sampleVectors = function (list, set, grid) {
  const { make, svg } = PTP;
  const range = values => [values.reduce((a, v) => Math.min(a, v ?? a), Infinity), values.reduce((a, v) => Math.max(a, v ?? a), -Infinity)];
  return list.map(v => {
    const places = v.index.map((index, i) => ({ sample: set.byIndex.get(index) || { index }, x: v.x[i], y: v.y[i] })).filter(p => p.x !== null && p.y !== null);
    if (!places.length) return make('p', { class: 'faint' }, v.name + ' has no numbers');
    const classOf = p => set.names && p.sample.target >= 0 ? p.sample.target : 0;
    const pick = p => grid.pick('sample ' + p.sample.index, [p.sample]);
    const figure = PTP.figure({ label: 'principal components of ' + v.name, x: range(v.x), y: range(v.y), xTitle: `first, ${PTP.percent(v.shares[0])} of the variance`, yTitle: `second, ${PTP.percent(v.shares[1])}`, draw: (px, py) =>
      places.map(p => { const mark = PTP.mark(classOf(p), px(p.x), py(p.y), 2, { click: () => pick(p) }); mark.append(svg('title', {}, set.caption(p.sample))); return mark; }) });
    figure.classList.add('wide');
    const classes = set.names ? [...new Set(places.map(classOf))].sort((a, b) => a - b).slice(0, 20) : [];
    const key = make('ul', { class: 'key' }, classes.map(i => make('li', {}, svg('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true', class: 'sign' }, PTP.mark(i, 6, 6, 4)), ' ' + set.name(i))));
    const rows = places.slice(0, 500).map(p => [{ text: '№ ' + p.sample.index, value: p.sample.index, pick: () => pick(p) }, ...(set.names ? [set.name(p.sample.target), set.name(p.sample.predicted)] : []), p.x, p.y]);
    return make('div', {}, make('h3', {}, `Vectors of samples: ${v.name}, ${v.size} numbers each`),
      make('p', { class: 'faint' }, `${places.length} samples; those that are close to each other here need not be so in all ${v.size} dimensions`),
      make('div', { class: 'pair' }, figure, key, PTP.table(['sample', ...(set.names ? ['true', 'predicted'] : []), 'first', 'second'], rows, `samples along ${v.name}` + (places.length > rows.length ? ', the first ' + rows.length : ''))));
  });
};
