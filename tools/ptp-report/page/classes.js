// Classification and regression: matrix, classes, calibration, ROC and precision-recall, residuals.
PTP.percent = v => v === null ? '–' : (100 * v).toFixed(1) + ' %';

// Rows are true classes, columns predicted ones. A cell selects its samples.
PTP.confusion = function (c, set, grid) {
  const { make } = PTP;
  const classes = c.names.length;
  const cell = (i, j, sum) => {
    const count = c.matrix[i * classes + j];
    const td = make('td', { class: 'number' }, count === 0 ? '0' : make('button', { type: 'button', 'aria-label': `true ${c.names[i]}, predicted ${c.names[j]}: ${count}`, click: () =>
      grid.pick(`true ${c.names[i]}, predicted ${c.names[j]}`, set.rows.filter(s => s.target === i && s.predicted === j)) }, String(count)));
    td.style.backgroundColor = sum > 0 ? `color-mix(in srgb, var(--accent) ${Math.round(50 * count / sum)}%, var(--back))` : '';
    return td;
  };
  const all = Array.from({ length: classes }, (_, i) => i);
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'confusion matrix' }, make('table', { class: 'matrix' },
    make('caption', {}, 'rows: true; columns: predicted; shade: share of the row'),
    make('thead', {}, make('tr', {}, make('td'), c.names.map(name => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, all.map(i => {
      const sum = all.reduce((a, j) => a + c.matrix[i * classes + j], 0);
      return make('tr', {}, make('th', { scope: 'row' }, c.names[i]), all.map(j => cell(i, j, sum)));
    }))));
};

PTP.classTable = function (c, set, grid) {
  const hasCurves = c.curves && c.curves.length > 0;
  const titles = ['class', 'precision (PPV)', 'recall (TPR)', 'F1', 'support', 'predicted', 'specificity (TNR)', 'NPV', 'FPR', 'FNR', 'FDR', ...(hasCurves ? ['ROC area', 'average precision'] : [])];
  const counts = [3, 4];
  const rounded = v => typeof v === 'number' ? { text: PTP.short(v), value: v } : v;
  const mean = column => {
    const known = c.table.map(row => row[column]).filter(v => v !== null && v !== undefined);
    return known.length ? known.reduce((a, v) => a + v, 0) / known.length : null;
  };
  const rows = c.table.map((row, i) => [{ text: c.names[i], value: c.names[i], pick: () => grid.pick('true ' + c.names[i], set.rows.filter(s => s.target === i)) }, ...row.map(rounded)]);
  const table = PTP.table(titles, rows, 'classes, each against the others; NPV: share that is right of what is not predicted as the class; FPR: share of the others that is predicted as it; FNR: share of the class that is missed; FDR: share of the predicted that is wrong. An empty cell is nan: no sample is of the class, or none is predicted as it');
  table.querySelector('table').append(PTP.make('tfoot', {}, PTP.make('tr', {}, PTP.make('th', { scope: 'row' }, 'mean'), titles.slice(1).map((_, i) => PTP.make('td', { class: 'number' }, counts.includes(i) || mean(i) === null ? '' : PTP.short(mean(i)))))));
  return table;
};

PTP.reliability = function (c, set, grid) {
  const { make, svg } = PTP;
  const k = c.calibration;
  const kinds = { width: '15 bins of equal width', mass: '15 bins of equal numbers of samples' };
  const box = make('div', { class: 'pair' });
  const pick = (kind, bin, i) => grid.pick(`confidence ${PTP.short(bin[0])} to ${PTP.short(bin[1])}`, set.rows.filter(s => s[kind + '_bin'] === i));
  const show = kind => {
    const bins = k[kind].bins.map((bin, i) => [bin, i]).filter(([bin]) => bin[2] > 0);
    const figure = PTP.figure({ label: 'reliability diagram, ' + kinds[kind], x: [0, 1], y: [0, 1], xTitle: 'confidence', yTitle: 'accuracy', draw: (px, py) => [
      bins.map(([bin, i]) => svg('rect', { x: px(bin[0]), y: py(bin[4]), width: Math.max(2, px(bin[1]) - px(bin[0]) - 1), height: py(0) - py(bin[4]), class: 'bar', click: () => pick(kind, bin, i) }, svg('title', {}, `${bin[2]} samples: accuracy ${PTP.percent(bin[4])}, confidence ${PTP.percent(bin[3])}`))),
      svg('line', { x1: px(0), y1: py(0), x2: px(1), y2: py(1), class: 'ideal' }),
      bins.map(([bin]) => svg('circle', { cx: px(bin[3]), cy: py(bin[4]), r: 3, class: 'dot' }))] });
    const rows = bins.map(([bin, i]) => [{ text: `${PTP.short(bin[0])} to ${PTP.short(bin[1])}`, value: bin[0], pick: () => pick(kind, bin, i) }, bin[2], bin[3], bin[4]]);
    box.replaceChildren(figure, PTP.table(['bin', 'samples', 'mean confidence', 'accuracy'], rows, kinds[kind]));
  };
  show('width');
  const choice = make('select', { change: e => show(e.target.value) }, Object.entries(kinds).map(([value, text]) => make('option', { value }, text)));
  return make('div', {}, make('p', {}, 'ECE ', make('b', { class: 'ece' }, PTP.shown(k.width.error)), ' (equal width), ', make('b', {}, PTP.shown(k.mass.error)), ' (equal numbers); Brier score ', make('b', { class: 'brier' }, PTP.shown(k.brier)), '. Dots under the line: too sure; above: not sure enough.'),
    make('div', { class: 'controls' }, make('label', {}, 'bins ', choice)), box);
};

// A click on one of all curves shows its class alone, with points that select the samples near their threshold.
PTP.rates = function (c, set, grid) {
  const { make, svg } = PTP;
  const box = make('div', { class: 'pair' });
  const pick = (i, row) => grid.pick(`score of ${c.names[i]} near ${PTP.short(row[0])}, falling`, row[4].map(index => set.byIndex.get(index) || { index }));
  const show = value => {
    const isAll = value === 'all';
    const chosen = c.curves.map((curve, i) => [curve, i]).filter(([, i]) => isAll || i === +value);
    const points = (curve, i, x, y, px, py) => isAll ? [] : curve.thresholds.map(row => svg('circle', { cx: px(row[x]).toFixed(1), cy: py(row[y]).toFixed(1), r: 3, class: 'point', click: () => pick(i, row) }, svg('title', {}, `threshold ${PTP.short(row[0])}`)));
    const figure = (kind, label, x, y, xTitle, yTitle) => PTP.figure({ label, x: [0, 1], y: [0, 1], xTitle, yTitle, draw: (px, py) => [
      kind === 'roc' ? svg('line', { x1: px(0), y1: py(0), x2: px(1), y2: py(1), class: 'ideal' }) : null,
      chosen.filter(([curve]) => curve[kind].x.length > 1).map(([curve, i]) => {
        const line = PTP.polyline(curve[kind].x, curve[kind].y, px, py, i, c.names[i]);
        line.addEventListener('click', () => { choice.value = i; show(i); });
        return [line, points(curve, i, x, y, px, py)];
      })] });
    const dash = i => (PTP.dashes[i % PTP.dashes.length] || []).join(' ');
    const rows = chosen.slice(0, 20).flatMap(([curve, i]) => curve.thresholds.map(row => [...(isAll ? [c.names[i]] : []), { text: PTP.short(row[0]), value: row[0], pick: () => pick(i, row) }, row[1], row[2], row[3]]));
    box.replaceChildren(figure('roc', 'ROC curves, each class against the others', 1, 2, 'rate of false positives', 'rate of true positives'), figure('precision', 'precision-recall curves, each class against the others', 2, 3, 'recall', 'precision'),
      make('ul', { class: 'key' }, chosen.slice(0, 20).map(([, i]) => make('li', {}, svg('svg', { viewBox: '0 0 34 10', 'aria-hidden': 'true' }, svg('line', { x1: 0, x2: 34, y1: 5, y2: 5, class: 'curve', stroke: `var(--c${i % 7})`, 'stroke-dasharray': dash(i) })), ' ' + c.names[i]))),
      PTP.table([...(isAll ? ['class'] : []), 'threshold', 'false positives', 'true positives (recall)', 'precision'], rows, 'points of the curves; a threshold selects the samples with the scores nearest to it'));
  };
  const choice = make('select', { change: e => show(e.target.value) }, make('option', { value: 'all' }, 'all classes'), c.names.map((name, i) => make('option', { value: i }, name)));
  show('all');
  return make('div', {}, make('div', { class: 'controls' }, make('label', {}, 'class ', choice)), box);
};

PTP.classification = function (c, set, grid) {
  const { make } = PTP;
  const confusions = c.confusions.map(([target, predicted, count, share]) => [{ text: `${c.names[target]} → ${c.names[predicted]}`, value: c.names[target], pick: () =>
    grid.pick(`true ${c.names[target]}, predicted ${c.names[predicted]}`, set.rows.filter(s => s.target === target && s.predicted === predicted)) }, count, share]);
  return [make('p', {}, 'Accuracy ', make('b', { class: 'accuracy' }, PTP.shown(c.accuracy)), ' of ' + c.counted + ' samples.'),
    make('h3', {}, 'Confusion matrix'), c.matrix ? PTP.confusion(c, set, grid) : make('p', { class: 'faint' }, c.names.length + ' classes are too many for a matrix'),
    c.confusions.length ? [make('h3', {}, 'Most frequent confusions'), PTP.table(['true → predicted', 'samples', 'share of the true class'], confusions, 'confusions')] : null,
    make('h3', {}, 'Classes'), PTP.classTable(c, set, grid),
    c.calibration ? [make('h3', {}, 'Calibration'), PTP.reliability(c, set, grid)] : null,
    c.curves && c.curves.length ? [make('h3', {}, 'ROC and precision-recall'), PTP.rates(c, set, grid)] : null].flat().filter(Boolean);
};

PTP.regression = function (r, set, grid) {
  const { make, svg } = PTP;
  return r.outputs.flatMap(o => {
    const [t, p] = ['target' + o.output, 'predicted' + o.output];
    const points = PTP.drawn(set.rows.filter(s => s[t] !== null && s[p] !== null)).slice(0, 3000);
    const values = points.flatMap(s => [s[t], s[p]]);
    const range = [values.reduce((a, v) => Math.min(a, v), Infinity), values.reduce((a, v) => Math.max(a, v), -Infinity)];
    const h = o.histogram;
    const highest = h.counts.reduce((a, v) => Math.max(a, v), 1);
    const pick = i => grid.pick(`residual ${PTP.short(h.low + i * h.width)} to ${PTP.short(h.low + (i + 1) * h.width)}`, set.rows.filter(s => s[t] !== null && s[p] !== null && Math.min(h.counts.length - 1, Math.floor((s[p] - s[t] - h.low) / h.width)) === i));
    const title = r.width === 1 ? '' : ' of number ' + o.output;
    const far = set.rows.filter(s => s[t] !== null && s[p] !== null).sort((a, b) => Math.abs(b[p] - b[t]) - Math.abs(a[p] - a[t])).slice(0, 200);
    return [make('h3', {}, 'Predicted over true' + title), make('p', {}, `RMSE ${PTP.shown(o.rmse)}, MAE ${PTP.shown(o.mae)}, R² ${PTP.shown(o.r2)}, mean residual ${PTP.shown(o.bias)}, of ${o.count} samples` + (points.length < o.count ? `; ${points.length} are drawn` : '')),
      make('div', { class: 'pair' },
        points.length ? PTP.figure({ label: 'predicted over true' + title, x: range, y: range, xTitle: 'true', yTitle: 'predicted', draw: (px, py) => [svg('line', { x1: px(range[0]), y1: py(range[0]), x2: px(range[1]), y2: py(range[1]), class: 'ideal' }),
          points.map(s => svg('circle', { cx: px(s[t]).toFixed(1), cy: py(s[p]).toFixed(1), r: 2, class: 'point', click: () => grid.pick('sample ' + s.index, [s]) }))] }) : null,
        PTP.figure({ label: 'residuals' + title, x: [h.low, h.low + h.width * h.counts.length], y: [0, highest], xTitle: 'predicted - true', yTitle: 'samples', draw: (px, py) =>
          h.counts.map((count, i) => svg('rect', { x: px(h.low + i * h.width), y: py(count), width: Math.max(1, 300 / h.counts.length - 1), height: py(0) - py(count), class: 'bar', click: () => pick(i) }, svg('title', {}, String(count)))) }),
        PTP.table(['residual from', 'to', 'samples'], h.counts.map((count, i) => [{ text: PTP.short(h.low + i * h.width), value: h.low + i * h.width, pick: () => pick(i) }, h.low + (i + 1) * h.width, count]), 'residuals'),
        PTP.table(['sample', 'true', 'predicted', 'residual'], far.map(s => [{ text: '№ ' + s.index, value: s.index, pick: () => grid.pick('sample ' + s.index, [s]) }, s[t], s[p], { text: PTP.short(s[p] - s[t]), value: s[p] - s[t] }]), 'samples by the size of their residual, the largest first' + (far.length < set.rows.length ? ', ' + far.length : '')))];
  });
};
