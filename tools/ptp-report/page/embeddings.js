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
