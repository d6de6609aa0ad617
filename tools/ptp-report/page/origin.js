// The origin of weights: which bits they are, what they began with, and which runs have the same.
PTP.origin = function (s) {
  const { make } = PTP;
  const many = s.processes.some(p => p.ranks > 1);
  return make('div', { class: 'origin' },
    s.weights.length ? PTP.table(['weights', 'checkpoint', 'SHA-256'], s.weights.map(w => [w.name, w.checkpoint, w.sha256 || 'not listed']), 'weights of the checkpoints') : make('p', { class: 'faint' }, 'There is no checkpoint yet.'),
    s.lines.length ? [make('h3', {}, 'Began with'), make('ul', { class: 'lineage' }, s.lines.map(l => make('li', { class: 'depth' + Math.min(l.depth, 5) }, l.text)))] : null,
    s.processes.length ? PTP.table(['began', 'command', 'host', 'device', ...(many ? ['processes'] : [])], s.processes.map(p => [p.began, p.command, p.host, p.device, ...(many ? [p.ranks] : [])]), 'processes that trained it; each after the first one resumed it') : null);
};

// Which of the runs have the same bits, and which began with the weights of another.
PTP.origins = function (data) {
  const { make, section } = PTP;
  const known = data.runs.map(run => ({ run, origin: section(run, 'origin') })).filter(k => k.origin && k.origin.weights.length);
  if (!known.length) return null;
  const hash = (k, name) => (k.origin.weights.find(w => w.name === name) || {}).sha256;
  const byHash = new Map();
  for (const k of known) for (const name of ['best', 'last']) if (hash(k, name)) byHash.set(hash(k, name), [...(byHash.get(hash(k, name)) || []), { k, name }]);
  const few = names => names.slice(0, 4).join(', ') + (names.length > 4 ? ' and ' + (names.length - 4) + ' more' : '');
  // Other runs with these bits, those under the same name first; "last of RUN" where they have the other name alone.
  const same = (k, name) => {
    const others = (byHash.get(hash(k, name)) || []).filter(o => o.k !== k);
    const alike = others.filter(o => o.name === name);
    return few([...alike.map(o => o.k.run.name), ...others.filter(o => !alike.some(a => a.k === o.k)).map(o => o.name + ' of ' + o.k.run.name)]);
  };
  const parents = k => k.origin.parents.map(p => {
    const of = (byHash.get(p.sha256) || []).filter(o => o.k !== k);
    const line = k.origin.lines.find(l => l.depth === 0 && l.text.includes(p.sha256.slice(0, 16)));
    return of.length ? (p.component ? p.component + ': ' : '') + of.filter(o => o.k === of[0].k).map(o => o.name).join(' and ') + ' of ' + of[0].k.run.name : line ? line.text : p.sha256.slice(0, 16);
  }).join('; ');
  const rows = known.map(k => [k.run.name, (hash(k, 'best') || '').slice(0, 12), same(k, 'best'), (hash(k, 'last') || '').slice(0, 12), same(k, 'last'), parents(k), Math.max(0, k.origin.processes.length - 1)]);
  const pairs = rows.filter(r => r[2] || r[4]).length;
  const unlisted = known.filter(k => k.origin.weights.some(w => !w.sha256)).length;
  const table = PTP.table(['run', 'best weights', 'same bits as', 'last weights', 'same bits as', 'began with', 'resumed'], rows, 'the first 12 digits of the SHA-256 of weights; how often a run was resumed');
  table.id = 'origins';
  return make('div', {}, make('h2', {}, 'Origin of the weights'), make('p', { class: 'faint' }, (pairs ? pairs + ' of ' + known.length + ' runs have the bits of another.' : 'No two runs have the same bits.') +
    (unlisted ? ' Of ' + unlisted + (unlisted > 1 ? ' runs' : ' run') + ' not all weights are listed, and so not compared.' : '')), table);
};
