// Charts of statistics: one for each, with the curves of all sets and runs, and what was done to the
// training as a strip below. Drawn by dygraphs when they come into view.
// The legend of dygraphs is left out: it sets style attributes, which the Content-Security-Policy forbids.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend);

// Returns [episodes done, seconds since the first line of the log] of the ends of epochs.
PTP.times = function (run) {
  const lines = (run.sections.find(s => s.kind === 'log') || { text: '' }).text.split('\n');
  const seconds = line => Date.parse(line.slice(0, 23).replace(' ', 'T') + 'Z') / 1000;
  const ends = new Map(PTP.section(run, 'curves').epochs.map(([episodes, epoch]) => [epoch, episodes]));
  const times = [];
  for (const line of lines) {
    const end = /^\S+ \S+ \S+ \S+ epoch (\d+)\/\d+ +training/.exec(line);
    if (end && ends.has(+end[1])) times.push([ends.get(+end[1]), seconds(line) - seconds(lines[0])]);
  }
  return times;
};

// The sets as tables are named, for people.
PTP.setTitle = set => ({ training: 'training, each batch', training_epochs: 'training, each epoch' })[set] || set;

PTP.charts = function (data) {
  const { make, section, sums } = PTP;
  const several = data.runs.length > 1;
  const state = { x: 'episodes', smooth: 0, logX: false, logY: false, bands: several };
  const charts = [];

  // Returns a function from episodes done to the axis; numbers between two ends of epochs are interpolated.
  function axis(run) {
    if (state.x === 'episodes') return e => e;
    if (state.x === 'samples') return run.batch_size ? e => (e + 1) * run.batch_size : () => null;
    const known = state.x === 'seconds' ? PTP.times(run) : section(run, 'curves').epochs;
    const ends = [[0, 0], ...known.filter(e => e[0] !== null && e[1] !== null && !Number.isNaN(e[1]))];
    if (ends.length < 2) return () => null;
    return e => {
      let i = ends.findIndex(end => end[0] >= e + 1);
      if (i < 1) i = i === 0 ? 1 : ends.length - 1;
      const [a, b] = [ends[i - 1], ends[i]];
      return a[1] + (e + 1 - a[0]) / Math.max(1, b[0] - a[0]) * (b[1] - a[1]);
    };
  }

  function smoothed(values) {
    if (!state.smooth) return values;
    let mean = 0, weight = 0;
    return values.map(v => {
      if (v === null) return null;
      mean = state.smooth * mean + (1 - state.smooth) * v;
      weight = state.smooth * weight + (1 - state.smooth);
      return mean / weight;
    });
  }

  // Returns the series of a statistic: title, color, dash, and points [x, low, middle, high].
  function seriesOf(curves) {
    const sets = [...new Set(curves.map(c => c.curve.set))];
    const list = [];
    const groups = new Map();
    for (const { run, curve } of curves) {
      const place = axis(run);
      const xs = sums(curve.episodes).map(place);
      const color = several ? (state.bands ? run.group : data.runs.indexOf(run)) : sets.indexOf(curve.set);
      const style = { color, dash: several ? sets.indexOf(curve.set) : color, width: 1.5 };
      const title = (several ? run.name + '  ' : '') + PTP.setTitle(curve.set);
      const members = data.runs.filter(r => r.group === run.group).length;
      if (several && state.bands && members > 1) {
        const key = run.group + ' ' + curve.set;
        if (!groups.has(key)) groups.set(key, { style, title: 'group ' + (run.group + 1) + '  ' + PTP.setTitle(curve.set), members: [] });
        const means = curve.means ? { xs: sums(curve.mean_episodes).map(place), ys: curve.means } : { xs, ys: curve.values };
        groups.get(key).members.push({ xs: means.xs, ys: smoothed(means.ys) });
        continue;
      }
      // Beside curves of whole sets, that of single batches is pale.
      const isPale = sets.length > 1 && curve.set === 'training';
      const raw = { ...style, isPale, width: isPale ? 1 : 2, title, points: xs.map((x, i) => [x, curve.values[i]]) };
      if (state.smooth) {
        const mx = curve.means ? sums(curve.mean_episodes).map(place) : xs;
        const my = smoothed(curve.means || curve.values);
        list.push({ ...raw, title: title + ' (raw)', width: 1, isPale: true, faint: true });
        list.push({ ...style, title, points: mx.map((x, i) => [x, my[i]]) });
      } else list.push(raw);
    }
    for (const group of groups.values()) list.push(band(group));
    return list;
  }

  // Returns mean and sample deviation of runs, at the places of the first one; others are interpolated.
  function band({ style, title, members }) {
    const at = (m, x) => {
      let low = 0, high = m.xs.length - 1;
      if (!m.xs.length || x < m.xs[0] || x > m.xs[high]) return null;
      while (high - low > 1) { const middle = (low + high) >> 1; if (m.xs[middle] <= x) low = middle; else high = middle; }
      const [a, b] = [m.ys[low], m.ys[high]];
      if (a === null || b === null) return null;
      return m.xs[high] === m.xs[low] ? a : a + (x - m.xs[low]) / (m.xs[high] - m.xs[low]) * (b - a);
    };
    const points = members[0].xs.map(x => {
      const values = members.map(m => at(m, x)).filter(v => v !== null);
      if (!values.length) return [x, null];
      const mean = values.reduce((a, b) => a + b) / values.length;
      const deviation = values.length > 1 ? Math.sqrt(values.reduce((a, v) => a + (v - mean) ** 2, 0) / (values.length - 1)) : 0;
      return [x, mean, deviation];
    });
    return { ...style, title: title + ' (mean of ' + members.length + ', band: deviation)', points, width: 2, isBand: true };
  }

  // Returns rows for dygraphs: all places in order, and for each series [low, middle, high].
  function rowsOf(series) {
    const rows = new Map();
    series.forEach((s, i) => {
      for (const [x, y, d] of s.points) {
        if (x === null || (state.logX && x <= 0)) continue;
        if (!rows.has(x)) rows.set(x, [x, ...series.map(() => null)]);
        if (y !== null) rows.get(x)[i + 1] = cell(y, d);
      }
    });
    return [...rows.values()].sort((a, b) => a[0] - b[0]);
  }
  const cell = (y, d) => [y - (d || 0), y, y + (d || 0)];

  // Returns whether rows of all places would be too many cells to zoom in: many runs, each with places of its own.
  const isWide = series => series.length * new Set(series.flatMap(s => s.points.map(p => p[0]))).size > 400000;

  // Returns a function from a window, or none, to rows of common places: the smallest and the largest number of each curve in strips, most
  // of which are within the window.
  function stripsOf(series) {
    const scale = state.logX ? Math.log : x => x, back = state.logX ? Math.exp : x => x;
    const curves = series.map(s => s.points.filter(p => p[0] !== null && p[1] !== null && (!state.logX || p[0] > 0)));
    const xs = curves.map(points => Float64Array.from(points, p => scale(p[0])));
    const first = xs.reduce((a, of) => of.reduce((b, x) => Math.min(b, x), a), Infinity);
    const last = xs.reduce((a, of) => of.reduce((b, x) => Math.max(b, x), a), -Infinity);
    const inside = Math.min(800, Math.max(200, Math.floor(40000 / series.length)));
    return window => {
      const [from, to] = window ? window.map(x => Math.min(last, Math.max(first, scale(Math.max(x, back(first)))))) : [first, last];
      const parts = [], places = [];
      for (const [begin, end, count] of [[first, from, 50], [from, to, inside], [to, last, 50]]) {
        if (end <= begin) continue;
        parts.push({ end, begin, rate: count / (end - begin), at: places.length, count });
        for (let i = 0; i < 2 * count; ++i) places.push(begin + (end - begin) * i / (2 * count));
      }
      places[places.length - 1] = last;
      const rows = places.map(x => [back(x), ...series.map(() => null)]);
      const low = new Int32Array(places.length / 2), high = new Int32Array(places.length / 2);
      curves.forEach((points, curve) => {
        low.fill(-1);
        for (let i = 0; i < points.length; ++i) {
          const x = xs[curve][i], part = parts.find(one => x < one.end) || parts[parts.length - 1];
          const strip = part.at / 2 + Math.min(part.count - 1, Math.floor((x - part.begin) * part.rate));
          if (low[strip] < 0) low[strip] = high[strip] = i;
          else if (points[i][1] < points[low[strip]][1]) low[strip] = i;
          else if (points[i][1] > points[high[strip]][1]) high[strip] = i;
        }
        low.forEach((at, strip) => {
          if (at < 0) return;
          [...new Set([at, high[strip]])].sort((a, b) => a - b).forEach((i, end) => { rows[2 * strip + end][curve + 1] = cell(points[i][1], points[i][2]); });
        });
      });
      return rows;
    };
  }

  function keyOf(series) {
    return series.filter(s => !s.faint).map(s => {
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
      for (const [k, v] of Object.entries({ x1: 1, x2: 33, y1: 5, y2: 5, stroke: PTP.color(s.color), 'stroke-width': 2.5, 'stroke-dasharray': (PTP.dashes[s.dash % PTP.dashes.length] || []).join(' ') })) line.setAttribute(k, v);
      svg.append(line, PTP.mark(s.dash, 37, 5, 3.5, { fill: PTP.color(s.color) }));
      svg.setAttribute('aria-hidden', 'true');
      return make('span', {}, svg, ' ', s.title);
    });
  }

  // Draws the best weights' episode, and a mark at the last point of each curve.
  function marks(context, area, graph, curves, series) {
    const runs = [...new Set(curves.map(c => c.run))];
    context.save();
    context.setLineDash([3, 3]);
    runs.forEach(run => {
      const best = data.listing[data.runs.indexOf(run)].best;
      const x = best ? axis(run)(best.episode) : null;
      if (x === null || (several && runs.length > 4)) return;
      const at = graph.toDomXCoord(x);
      context.strokeStyle = PTP.css('--faint');
      context.beginPath(); context.moveTo(at, area.y); context.lineTo(at, area.y + area.h); context.stroke();
      context.fillStyle = PTP.css('--faint');
      context.textAlign = at > area.x + area.w / 2 ? 'right' : 'left';
      context.font = '11px system-ui, sans-serif';
      context.fillText(' best ', at, area.y + 11);
    });
    context.setLineDash([]);
    for (const s of series) {
      const last = s.points.findLast(p => p[0] !== null && p[1] !== null);
      if (!last || s.faint) continue;
      context.fillStyle = PTP.color(s.color);
      context.fill(new Path2D(PTP.markPath(s.dash, graph.toDomXCoord(last[0]), graph.toDomYCoord(last[1]), 4)));
    }
    context.restore();
  }

  function strip(canvas, graph, curves) {
    const width = canvas.clientWidth, context = canvas.getContext('2d');
    canvas.width = width; canvas.height = 20;
    context.font = '12px system-ui, sans-serif';
    const range = graph.xAxisRange();
    for (const run of new Set(curves.map(c => c.run))) {
      for (const event of section(run, 'events').events) {
        const x = event.episode === null ? null : axis(run)(event.episode);
        if (x === null || x < range[0] || x > range[1]) continue;
        const at = graph.toDomXCoord(x);
        context.strokeStyle = context.fillStyle = PTP.css('--accent');
        context.beginPath(); context.moveTo(at, 0); context.lineTo(at, 6); context.stroke();
        context.fillText(PTP.symbols[event.what] || '•', at - 4, 18);
      }
    }
  }

  // Returns the section with the samples of a set, if passes over it were recorded.
  const recorded = (run, set) => run.sections.find(s => s.kind === 'samples' && s.set === set && s.passes.length > 0);

  // Selects the samples of the recorded pass that is nearest to a place on the axis.
  function pickAt(curves, x) {
    const passes = curves.flatMap(({ run, curve }) => (recorded(run, curve.set) || { passes: [] }).passes.map(pass => ({ run, set: curve.set, episode: pass.episode, far: Math.abs(axis(run)(pass.episode) - x) })));
    if (!passes.length) return;
    const nearest = passes.reduce((a, p) => p.far < a.far ? p : a);
    pickEpisode(nearest.run, nearest.set, nearest.episode);
  }
  function pickEpisode(run, set, episode) {
    const samples = recorded(run, set);
    if (!samples) return;
    if (run.show) run.show();
    samples.pickEpisode(episode);
  }

  function chart(name, curves) {
    const plot = make('div', { class: 'plot', tabindex: 0, role: 'img', 'aria-label': name + ': arrows move, + and - zoom, 0 shows all' });
    const canvas = make('canvas', { class: 'strip', 'aria-hidden': 'true' });
    const key = make('div', { class: 'key', role: 'group', 'aria-label': 'curves of ' + name });
    const value = make('div', { class: 'faint axis', 'aria-live': 'off' });
    const table = make('details', { class: 'numbers' }, make('summary', {}, 'Numbers'));
    table.addEventListener('toggle', () => { if (table.open && table.children.length === 1) table.append(numbers(curves)); });
    const sets = [...new Set(curves.filter(c => recorded(c.run, c.curve.set)).map(c => c.curve.set))];
    const hint = sets.length ? make('div', { class: 'faint' }, 'A click on a point of ' + sets.join(', ') + ' selects samples of its epoch; so does Numbers.') : null;
    const card = make('section', { class: 'card' }, make('h3', {}, name), key, plot, canvas, value, hint, table);
    const one = { card, graph: null, draw };
    function draw() {
      const series = seriesOf(curves);
      const strips = isWide(series) ? stripsOf(series) : null;
      const rows = strips ? strips(null) : rowsOf(series);
      one.zoom = window => one.graph.updateOptions({ dateWindow: window, ...(strips ? { file: strips(window) } : {}) });
      key.replaceChildren(...keyOf(series));
      key.classList.toggle('long', series.length > 12);
      if (series.length > 12) key.tabIndex = 0; else key.removeAttribute('tabindex');
      value.textContent = state.x;  // the title of the axis, until a point is looked at
      if (one.graph) { one.graph.destroy(); one.graph = null; }
      if (!rows.length) { plot.replaceChildren('no numbers to draw on this axis'); return; }
      const options = {};
      series.forEach((s, i) => { options['s' + i] = { color: PTP.color(s.color) + (s.isPale ? '66' : ''), strokePattern: PTP.dashes[s.dash % PTP.dashes.length], strokeWidth: s.width, drawPoints: s.points.length < 40, ...(s.isBand ? {} : { plotter: Dygraph.Plotters.linePlotter }) }; });
      one.graph = new Dygraph(plot, rows, {
        labels: ['x', ...series.map((_, i) => 's' + i)], series: options, customBars: true, connectSeparatedPoints: true,
        legend: 'never', logscale: state.logY, axes: { x: { logscale: state.logX, axisLabelWidth: 60 } }, gridLineColor: PTP.css('--line'), axisLineColor: PTP.css('--faint'),
        fillAlpha: 0.2, highlightCircleSize: 3, pointSize: 2, xRangePad: 6,
        underlayCallback: (context, area, graph) => marks(context, area, graph, curves, series),
        drawCallback: graph => strip(canvas, graph, curves),
        highlightCallback: (_, x, points) => { value.textContent = state.x + (strips ? ' about ' : ' ') + +x.toPrecision(7) + ': ' + points.slice(0, 6).map(p => series[+p.name.slice(1)].title + ' ' + +p.yval.toPrecision(5)).join(', '); },
        clickCallback: event => pickAt(curves, one.graph.toDataXCoord(one.graph.eventToDomCoords(event)[0])),
        zoomCallback: (from, to) => { if (strips) one.zoom([from, to]); },
        unhighlightCallback: () => { value.textContent = state.x; },
      });
    }
    plot.addEventListener('keydown', event => {
      if (!one.graph) return;
      const [a, b] = one.graph.xAxisRange(), w = b - a;
      const next = { ArrowLeft: [a - w / 4, b - w / 4], ArrowRight: [a + w / 4, b + w / 4], '+': [a + w / 4, b - w / 4], '-': [a - w / 2, b + w / 2], 0: null }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      if (next === null) one.graph.resetZoom(); else one.zoom(next);
    });
    return one;
  }

  // The numbers behind a chart, of the points that are drawn, at most 200 a curve.
  function numbers(curves) {
    const rows = [];
    for (const { run, curve } of curves) {
      const xs = sums(curve.episodes), step = Math.max(1, Math.ceil(xs.length / 200));
      const cell = x => recorded(run, curve.set) ? { text: String(x), value: x, pick: () => pickEpisode(run, curve.set, x) } : x;
      for (let i = 0; i < xs.length; i += step) rows.push([run.name, curve.set, cell(xs[i]), curve.values[i]]);
      if ((xs.length - 1) % step) rows.push([run.name, curve.set, cell(xs[xs.length - 1]), curve.values[xs.length - 1]]);
    }
    return PTP.table(['run', 'set', 'episode', 'value'], rows, 'points of the curves, six digits; empty: nan');
  }

  const names = new Map();
  for (const run of data.runs) {
    for (const curve of section(run, 'curves').curves) {
      if (!names.has(curve.statistic)) names.set(curve.statistic, []);
      names.get(curve.statistic).push({ run, curve });
    }
  }
  const main = [], spread = [];
  for (const [name, curves] of names) (/_(min|max|std)$/.test(name) ? spread : main).push(chart(name, curves));
  charts.push(...main, ...spread);

  const visible = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const one = charts.find(c => c.card === entry.target);
      one.isVisible = entry.isIntersecting;
      if (entry.isIntersecting && !one.isDrawn) { one.isDrawn = true; one.draw(); }
    }
  }, { rootMargin: '200px' });
  charts.forEach(c => visible.observe(c.card));
  const redraw = () => charts.forEach(c => { c.isDrawn = c.isVisible; if (c.isVisible) c.draw(); });
  PTP.redraw = redraw;
  PTP.drawAll = () => charts.forEach(c => { c.isDrawn = true; c.draw(); });

  const choose = (label, values, set) => make('label', {}, label, make('select', { change: e => { set(e.target.value); redraw(); } }, values.map(v => make('option', {}, v))));
  const check = (label, name) => make('label', {}, make('input', { type: 'checkbox', checked: state[name], change: e => { state[name] = e.target.checked; redraw(); } }), label);
  const controls = make('div', { class: 'controls' },
    choose('x', ['episodes', 'epochs', 'samples', 'seconds'], v => { state.x = v; }),
    make('label', {}, 'smoothing', make('input', { type: 'range', min: 0, max: 0.99, step: 0.01, value: 0, 'aria-label': 'smoothing', input: e => { state.smooth = +e.target.value; redraw(); } })),
    check('logarithmic', 'logY'), check('logarithmic x', 'logX'),
    several ? check('seeds and folds as mean and band', 'bands') : null);
  return [controls, make('div', { class: 'charts' }, main.map(c => c.card)),
    spread.length ? make('details', { class: 'spread' }, make('summary', {}, 'Smallest, largest and deviation over batches'), make('div', { class: 'charts' }, spread.map(c => c.card))) : null];
};

PTP.symbols = { swap: '⇄', learning_rate: '↘', set: '✎', resume: '▶', checkpoint: '■', validate: '✓', 'no numbers': '∅', skip: '∅', rollback: '↩' };
