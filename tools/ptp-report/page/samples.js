// The samples behind the numbers: a grid of those that a cell, a bin, a row or a button selects.
PTP.short = v => v === null || v === undefined ? '–' : typeof v === 'number' ? String(+v.toPrecision(4)) : String(v);

// The samples of a section, with what is known of each.
PTP.SampleSet = class {
  constructor(section) {
    const columns = section.samples;
    this.scores = section.scores || [];
    this.names = section.classification ? section.classification.names : null;
    this.rows = columns.index.map((index, row) => {
      const sample = { index };
      for (const name of Object.keys(columns)) sample[name] = columns[name][row];
      return sample;
    });
    this.byIndex = new Map(this.rows.map(sample => [sample.index, sample]));
    this.places = new Map();
    for (const examples of [section.examples, ...section.more_examples].filter(Boolean).reverse()) {
      examples.index.forEach((index, place) => this.places.set(index, [examples.streams, place]));
    }
  }

  name(number) { return number === null || number === undefined || number < 0 ? 'none' : this.names && this.names[number] !== undefined ? this.names[number] : String(number); }

  caption(sample) {
    const parts = ['№ ' + sample.index];
    if (this.names && 'target' in sample) {
      parts.push('true ' + this.name(sample.target), 'predicted ' + this.name(sample.predicted) + (sample.confidence === undefined || sample.confidence === null ? '' : ' (' + PTP.short(sample.confidence) + ')'));
    } else if ('target0' in sample) {
      parts.push('true ' + PTP.short(sample.target0), 'predicted ' + PTP.short(sample.predicted0));
    }
    if ('loss' in sample) parts.push('loss ' + PTP.short(sample.loss));
    for (const name of this.scores) if (name in sample) parts.push(name.replaceAll('_', ' ') + ' ' + PTP.short(sample[name]));
    return parts.join(', ');
  }

  hasTextsAlone(sample) {
    const [streams] = this.places.get(sample.index) || [[]];
    return streams.filter(s => s.form === 'text').length > 1 && !streams.some(s => s.form === 'image');
  }

  // Makes the streams of a sample: images, texts and numbers; a word where none are recorded.
  shown(sample, onlyImage) {
    if (!this.places.has(sample.index)) return onlyImage ? [] : [PTP.make('span', { class: 'faint' }, 'no example')];
    const [streams, place] = this.places.get(sample.index);
    const image = streams.find(stream => stream.form === 'image');
    const isPair = streams.filter(stream => stream.form === 'text').length > 1;
    return streams.map(stream => {
      const label = stream.name + ' of sample ' + sample.index;
      if (stream.form === 'image') return PTP.thumbnail(stream, place, label);
      if (onlyImage) return null;
      if (stream.form === 'classes') return PTP.make('div', {}, PTP.overlay(stream, image, place, label), PTP.make('p', { class: 'faint' }, stream.name));
      if (stream.form === 'text') return PTP.make('p', { class: 'text' }, isPair ? PTP.make('span', { class: 'faint' }, stream.name + ': ') : null, stream.texts[place]);
      const values = stream.values[place];
      return values.length > 1 ? PTP.make('p', { class: 'values faint' }, stream.name + ': ' + values.map(PTP.short).join(' ')) : null;
    }).filter(Boolean);
  }
};

// The grid and its heading; pick(title, samples) fills them.
PTP.grid = function (set) {
  const { make } = PTP;
  const kPage = 48;
  const heading = make('h3', { tabindex: -1 });
  const list = make('div', { class: 'samples' });
  const more = make('button', { type: 'button', click: () => add() }, 'more');
  let waiting = [];
  const add = () => {
    const now = waiting.splice(0, kPage);
    list.append(...now.map(sample => make('figure', { class: set.hasTextsAlone(sample) ? 'sample texts' : 'sample' }, set.shown(sample), make('figcaption', {}, set.caption(sample)))));
    more.hidden = !waiting.length;
  };
  const pick = (title, samples, focus = true) => {
    heading.textContent = title + ': ' + samples.length + (samples.length === 1 ? ' sample' : ' samples');
    list.replaceChildren();
    waiting = [...samples];
    add();
    if (focus) { heading.focus({ preventScroll: true }); heading.scrollIntoView({ block: 'start' }); }
  };
  return { box: make('div', { class: 'grid' }, heading, list, more), pick };
};

// A fixed order that looks drawn, and is the same whenever the page is opened.
PTP.drawn = samples => [...samples].sort((a, b) => (Math.imul(a.index, 0x9E3779B1) >>> 0) - (Math.imul(b.index, 0x9E3779B1) >>> 0));

PTP.lists = function (section, set, grid) {
  const { make } = PTP;
  const known = name => set.rows.filter(s => s[name] !== null && s[name] !== undefined);
  // Of equal ones, those with an example come first.
  const by = (name, sign) => known(name).sort((a, b) => sign * (a[name] - b[name]) || set.places.has(b.index) - set.places.has(a.index));
  const button = (title, list) => make('button', { type: 'button', click: () => grid.pick(title, list()) }, title);
  const passes = section.label_passes > 1 ? ', mean over ' + section.label_passes + ' passes' : '';
  return make('div', {}, make('div', { class: 'controls' },
    set.rows.length && 'loss' in set.rows[0] ? [button('highest loss', () => by('loss', -1)), button('lowest loss', () => by('loss', 1))] : [],
    set.scores.map(name => [button('lowest ' + name.replaceAll('_', ' '), () => by(name, 1)), button('highest ' + name.replaceAll('_', ' '), () => by(name, -1))]),
    button('random', () => PTP.drawn(set.rows)),
    set.places.size ? button('random, with example', () => PTP.drawn(set.rows.filter(s => set.places.has(s.index)))) : null,
    set.rows.length && 'label' in set.rows[0] ? button('label may be wrong', () => by('label', 1).filter(s => s.predicted !== s.target).slice(0, 1000)) : null),
  set.rows.length && 'label' in set.rows[0] ? make('p', { class: 'faint' }, '“label may be wrong”: wrong predictions by the probability of their label, the lowest first' + passes + '.') : null);
};

// Rows are passes, columns the samples with the highest loss in each.
PTP.worstByEpoch = function (section, set, grid) {
  const { make } = PTP;
  const count = Math.max(...section.passes.map(p => p.index.length));
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'highest losses by epoch' }, make('table', { class: 'worst' },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'epoch'), Array.from({ length: Math.min(10, count) }, (_, i) => make('th', { scope: 'col' }, String(i + 1))))),
    make('tbody', {}, [...section.passes].reverse().map(pass => make('tr', {}, make('th', { scope: 'row' }, make('button', { type: 'button', class: 'pick', click: () => section.pickEpisode(pass.episode) }, pass.epoch)), pass.index.slice(0, 10).map((index, i) => {
      const sample = set.byIndex.get(index) || { index };
      return make('td', {}, make('button', { type: 'button', click: () => grid.pick('sample ' + index, [sample]) }, set.shown(sample, true), '№ ' + index), make('div', { class: 'faint' }, PTP.short(pass.loss[i])));
    }))))));
};

// Rows are passes, columns the samples whose losses have the largest sums; the shades are those of the last pass.
PTP.lossesByEpoch = function (w, set, grid) {
  const { make } = PTP;
  const share = loss => loss === null || w.low === null ? 0 : Math.min(1, Math.max(0, (loss - w.low) / Math.max(1e-12, w.high - w.low)));
  const cell = (loss, i, epoch) => {
    const td = make('td', { class: 'number', title: `sample ${w.index[i]}, epoch ${epoch}` }, loss === null ? '–' : String(+loss.toPrecision(2)));
    td.style.backgroundColor = `color-mix(in srgb, var(--accent) ${Math.round(50 * share(loss))}%, transparent)`;
    return td;
  };
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'losses of the worst samples by epoch' }, make('table', { class: 'losses' },
    make('caption', {}, `the samples with the largest sums of losses; shade: from the median of the last epoch, ${PTP.short(w.low)}, to its mean and six deviations, ${PTP.short(w.high)}`),
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'epoch'), w.index.map(index => make('th', { scope: 'col' }, make('button', { type: 'button', click: () => grid.pick('sample ' + index, [set.byIndex.get(index) || { index }]) }, '№ ' + index))))),
    make('tbody', {}, w.rows.map((row, k) => make('tr', {}, make('th', { scope: 'row' }, w.epochs[k]), row.map((loss, i) => cell(loss, i, w.epochs[k])))))));
};

PTP.samples = function (section) {
  const { make } = PTP;
  const set = new PTP.SampleSet(section);
  const grid = PTP.grid(set);
  const c = section.classification;
  const parts = [make('p', { class: 'faint' }, [section.file, 'epoch ' + section.epoch, section.count + ' samples', c && c.left_out ? c.left_out + ' without a class' : ''].filter(Boolean).join(' · ')),
    section.notes.map(note => make('p', { class: 'faint' }, note))];
  if (c) parts.push(PTP.classification(c, set, grid));
  if (section.regression) parts.push(PTP.regression(section.regression, set, grid));
  parts.push(PTP.sampleVectors(section.vectors, set, grid));
  parts.push(make('h3', {}, 'Samples'), PTP.lists(section, set, grid), PTP.classKey(section), grid.box);
  if (section.passes.length > 1) parts.push(make('h3', {}, 'Highest losses by epoch'), PTP.worstByEpoch(section, set, grid));
  if (section.losses_by_epoch) parts.push(make('h3', {}, 'Worst samples over all epochs'), PTP.lossesByEpoch(section.losses_by_epoch, set, grid));
  // Selects the samples with the highest loss that the pass nearest to an episode has recorded.
  section.pickEpisode = episode => {
    const passes = section.passes.filter(p => p.episode !== null);
    if (!passes.length) return;
    const pass = passes.reduce((a, p) => Math.abs(p.episode - episode) < Math.abs(a.episode - episode) ? p : a);
    grid.pick('highest loss in epoch ' + pass.epoch, pass.index.map((index, i) => ({ index, ...(set.byIndex.get(index) || {}), ...(pass.predicted ? { predicted: pass.predicted[i], target: pass.target[i], confidence: null } : {}), loss: pass.loss[i] })));
  };
  const worst = set.rows.filter(s => set.places.has(s.index)).slice(0, 12);
  grid.pick('highest loss', worst.length ? worst : set.rows.slice(0, 12), false);
  return make('div', {}, parts.flat());
};
