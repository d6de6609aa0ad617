// What several runs have in common: a table sorted by what is judged, and parallel coordinates.
PTP.summaryTable = function (data) {
  const { listing, runs } = data;
  const settings = [...new Set(listing.flatMap(r => Object.keys(r.settings)))];
  const statistics = [...new Set(listing.flatMap(r => Object.keys((r.best || {}).statistics || {})))].filter(s => s !== 'loss');
  const titles = ['run', 'state', 'loss', 'last loss', ...statistics.flatMap(s => [s, 'last ' + s]), 'epoch', ...(runs.length > 1 ? ['group'] : []), ...settings, 'episodes', 'seconds'];
  const rows = listing.map((r, i) => [runs[i].name, r.state, (r.best || {}).loss, (r.last || {}).loss,
    ...statistics.flatMap(s => [((r.best || {}).statistics || {})[s], ((r.last || {}).statistics || {})[s]]),
    (r.best || {}).epoch, ...(runs.length > 1 ? [runs[i].group + 1] : []), ...settings.map(s => r.settings[s]), r.episode, r.seconds]);
  const judge = runs[0].judge;
  const table = PTP.table(titles, rows, 'best weights first, by ' + judge.name + (judge.larger ? ' (larger is better)' : ' (smaller is better)') + ', with their epoch; beside each number that of the last weights');
  table.id = 'runs';
  return table;
};

// The different pipelines of the runs, side by side; a component that differs from that of the best run is marked.
PTP.pipelines = function (data) {
  const { make, section } = PTP;
  const known = data.runs.map((run, i) => ({ run, model: section(run, 'model'), settings: data.listing[i].settings })).filter(k => k.model);
  if (known.length < 2) return null;
  const inPipeline = settings => Object.entries(settings).filter(([key]) => key.startsWith('pipeline.'));
  const of = (settings, name) => inPipeline(settings).filter(([key]) => key.startsWith('pipeline.' + name + '.')).map(([key, value]) => [key.slice(10 + name.length), PTP.shown(value)]).map(([key, value]) => value === '' ? 'no ' + key : key + ' = ' + value);
  const form = k => JSON.stringify([k.model.components.map(c => [c.name, c.type, c.plugin, c.inputs, c.outputs]), inPipeline(k.settings)]);
  const groups = new Map();
  for (const k of known) groups.set(form(k), [...(groups.get(form(k)) || []), k]);
  const first = known[0];
  const mark = k => c => {
    const other = first.model.components.find(o => o.name === c.name);
    if (k === first) return of(k.settings, c.name).join(', ') || null;
    if (!other) return 'only here';
    const differs = [other.type !== c.type ? 'is ' + c.type + ', not ' + other.type : '', other.plugin !== c.plugin ? c.plugin : '', JSON.stringify([other.inputs, other.outputs]) !== JSON.stringify([c.inputs, c.outputs]) ? 'other streams' : '',
      ...of(k.settings, c.name).filter(text => !of(first.settings, c.name).includes(text))].filter(Boolean);
    return differs.join(', ') || null;
  };
  const kMax = 12;
  const all = [...groups.values()];
  const missing = k => first.model.components.filter(c => !k.model.components.some(o => o.name === c.name)).map(c => c.name);
  return make('div', {}, make('h2', {}, 'Pipelines'), all.length === 1 ? make('p', { class: 'faint' }, 'All ' + known.length + ' runs have the same components with the same settings.') :
    make('p', { class: 'faint' }, all.length + ' different ones, that of the best run first; marked: what differs.' + (all.length > kMax ? ' The first ' + kMax + ' are shown.' : '')),
  make('div', { class: 'pipelines' }, all.slice(0, kMax).map(group => make('section', { class: 'card' }, make('h3', {}, group.map(k => k.run.name).slice(0, 4).join(', ') + (group.length > 4 ? ' and ' + (group.length - 4) + ' more' : '')),
    missing(group[0]).length ? make('p', { class: 'problem' }, 'without ' + missing(group[0]).join(', ')) : null,
    PTP.pipeline(group[0].model.components, all.length === 1 ? () => null : mark(group[0]))))));
};

PTP.parallel = function (data) {
  const { make } = PTP;
  const { listing, runs } = data;
  const settings = [...new Set(listing.flatMap(r => Object.keys(r.settings)))].slice(0, 10);
  const judge = runs[0].judge.name;
  const last = r => judge === 'loss' ? (r.best || {}).loss : ((r.best || {}).statistics || {})[judge];
  const axes = [...settings.map(name => ({ name, of: r => r.settings[name] })), { name: 'best ' + judge, of: last }];
  if (axes.length < 2) return null;
  const canvas = make('canvas', { class: 'parallel', role: 'img', 'aria-label': 'parallel coordinates of the settings that differ; the table of runs has the numbers' });
  const scale = axis => {
    const values = listing.map(axis.of).filter(v => v !== null && v !== undefined);
    if (values.every(v => typeof v === 'number')) {
      const low = Math.min(...values), high = Math.max(...values);
      const log = low > 0 && high / low > 50, f = log ? Math.log : x => x;
      return { low: PTP.short(low), high: PTP.short(high), between: [], at: v => typeof v !== 'number' ? null : high === low ? 0.5 : (f(v) - f(low)) / (f(high) - f(low)) };
    }
    const kinds = [...new Set(values.map(String))].sort();
    const between = kinds.length > 12 ? [] : kinds.slice(1, -1).map((kind, i) => [kind, (i + 1) / (kinds.length - 1)]);
    return { low: kinds[0], high: kinds.length > 1 ? kinds[kinds.length - 1] : '', between, at: v => v === null || v === undefined ? null : kinds.length === 1 ? 0.5 : kinds.indexOf(String(v)) / (kinds.length - 1) };
  };
  const draw = () => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = 320;
    if (!width) return;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '12px system-ui, sans-serif';
    const scales = axes.map(scale), x = i => 70 + i * (width - 140) / (axes.length - 1), y = share => height - 45 - share * (height - 85);
    context.fillStyle = PTP.css('--text'); context.strokeStyle = PTP.css('--line'); context.textAlign = 'center';
    axes.forEach((axis, i) => {
      context.beginPath(); context.moveTo(x(i), y(0)); context.lineTo(x(i), y(1)); context.stroke();
      const name = axis.name.split('.').slice(-2).join('.').slice(0, 28), half = context.measureText(name).width / 2;
      context.fillText(name, Math.min(Math.max(x(i), half), width - half), 14);
      context.fillText(scales[i].high.slice(0, 18), x(i), 32);
      context.fillText(scales[i].low.slice(0, 18), x(i), height - 24);
    });
    const names = () => axes.forEach((axis, i) => { // over the lines, each on a ground of its own
      for (const [kind, share] of scales[i].between) {
        const text = kind.slice(0, 18), wide = context.measureText(text).width;
        context.fillStyle = PTP.css('--back');
        context.fillRect(x(i) - wide / 2 - 3, y(share) - 8, wide + 6, 16);
        context.fillStyle = PTP.css('--text');
        context.fillText(text, x(i), y(share) + 4);
      }
    });
    listing.map((r, i) => [r, i]).reverse().forEach(([r, index]) => {
      const isBest = index === 0;
      context.strokeStyle = isBest ? PTP.color(1) : PTP.color(0);
      context.globalAlpha = isBest ? 1 : 0.5;
      context.lineWidth = isBest ? 3 : 1.2;
      context.setLineDash(isBest ? [] : PTP.dashes[runs[index].group % PTP.dashes.length] || []);
      context.beginPath();
      let isOpen = false;
      axes.forEach((axis, i) => {
        const share = scales[i].at(axis.of(r));
        if (share === null || Number.isNaN(share)) { isOpen = false; return; }
        if (isOpen) context.lineTo(x(i), y(share)); else context.moveTo(x(i), y(share));
        isOpen = true;
      });
      context.stroke();
      context.globalAlpha = 1;
    });
    names();
  };
  new ResizeObserver(draw).observe(canvas);
  PTP.redrawParallel = draw;
  return make('div', {}, make('p', { class: 'faint' }, 'A line for each run through its settings that differ; the thick one is the best.'), canvas);
};
