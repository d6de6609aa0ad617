// The loss over the learning rate, from `ptprun find-lr`.
PTP.findLr = function (s) {
  const { make, svg } = PTP;
  const points = s.points.filter(p => p[1] !== null);
  if (!points.length) return make('p', {}, 'no numbers');
  const log = v => Math.log10(v);
  const smoothed = points.filter(p => p[2] !== null);
  const first = (smoothed[0] || points[0])[smoothed.length ? 2 : 1];
  const lowest = points.reduce((a, p) => Math.min(a, p[2] ?? p[1]), Infinity);
  // A loss that has grown far beyond the first one would leave nothing to see of the rest.
  const high = Math.min(points.reduce((a, p) => Math.max(a, p[1]), -Infinity), first + 2 * Math.abs(first - lowest));
  const clip = v => Math.min(v, high);
  const figure = PTP.figure({ label: 'loss over the learning rate', x: [log(points[0][0]), log(points[points.length - 1][0])], y: [Math.min(lowest, ...points.map(p => p[1])), high], xTitle: 'learning rate, logarithm to base 10', yTitle: 'loss', draw: (px, py) => [
    svg('g', { class: 'raw' }, PTP.polyline(points.map(p => log(p[0])), points.map(p => clip(p[1])), px, py, 6, 'of single batches')),
    PTP.polyline(smoothed.map(p => log(p[0])), smoothed.map(p => clip(p[2])), px, py, 0, 'smoothed'),
    s.suggestion === null ? null : svg('line', { x1: px(log(s.suggestion)), x2: px(log(s.suggestion)), y1: py(high), y2: py(lowest), class: 'ideal' })] });
  return make('div', {}, make('p', {}, s.suggestion === null ? 'No suggestion: the loss has not fallen.' : ['Suggestion: ', make('b', {}, String(s.suggestion)), ', where the smoothed loss falls fastest (dashed).'],
    s.lowest === null ? '' : ` The smoothed loss is lowest at ${PTP.short(s.lowest)}.`, s.diverged === null ? '' : ` It has diverged at ${PTP.short(s.diverged)}.`),
  make('div', { class: 'pair' }, figure, PTP.table(['learning rate', 'loss', 'smoothed'], points, 'range test')));
};
