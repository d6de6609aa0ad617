// The model: what each component makes and costs, its kernels, and the data that it gets.
PTP.count = v => v === null || v === undefined ? '' : Number.isInteger(v) ? String(v).replace(/\B(?=(\d{3})+$)/g, '\u00a0') : PTP.short(v);
PTP.bytes = v => v === null || v === undefined ? '' : v < 1024 ? v + ' B' : v < 1 << 20 ? (v / 1024).toFixed(1) + ' KiB' : (v / (1 << 20)).toFixed(1) + ' MiB';
PTP.sizes = (sizes, batch) => '[' + sizes.map((s, i) => i === 0 && batch !== null && s === batch ? 'B' : s).join(', ') + ']';

// Returns a cell of a number that is shown in groups of three digits and sorted by its value.
PTP.counted = v => typeof v === 'number' ? { text: PTP.count(v), value: v } : '';

PTP.model = function (s) {
  const { make, counted } = PTP;
  const models = s.components.filter(c => c.parameters > 0 || (c.operations.length && c.what === 'model'));
  const per = v => typeof v === 'number' && s.samples ? v / s.samples : v;
  const sum = key => s.components.reduce((a, c) => a + (c[key] || 0), 0);
  const activations = s.components.reduce((a, c) => a + c.operations.reduce((b, o) => b + (o[4] || 0), 0), 0);
  const rows = models.map(c => [c.name, c.type, c.plugin, c.outputs.map(([, stream]) => stream + ' ' + (s.streams[stream] ? PTP.sizes(s.streams[stream], s.samples) : '')).join(', '),
    counted(c.parameters), counted(c.trained), counted(c.buffers), PTP.bytes(c.bytes), counted(per(c.multiply_adds))]);
  const details = models.map(c => {
    const operations = c.operations.map((o, i) => [i + 1, /^empty/.test(o[0]) ? 'a loop of the plugin' : o[0], PTP.sizes(o[1], s.samples), counted(o[2]), counted(per(o[3])), PTP.bytes(o[4])]);
    const left = c.operation_count > operations.length ? ', the first ' + operations.length + ' of ' + c.operation_count : '';
    return make('details', {}, make('summary', {}, c.name + ': layers and tensors'),
      c.layers.length ? PTP.table(['layer', 'type', 'shape'], c.layers, 'layers of ' + c.name) : null,
      operations.length ? PTP.table(['№', 'operation', 'output shape', 'parameters', 'multiply-adds a sample', 'memory of the result'], operations, 'operations of ' + c.name + ' in the first episode, a batch of ' + s.samples + left) : null,
      c.tensors.length ? PTP.table(['tensor', 'shape', 'numbers', 'role'], c.tensors.map(t => [t[0], PTP.sizes(t[1], null), counted(t[2]), t[3]]), 'tensors of ' + c.name) : null);
  });
  return make('div', { class: 'model' },
    make('p', {}, make('b', {}, PTP.count(sum('parameters'))), ' parameters (', PTP.count(sum('trained')), ' trained), ', make('b', {}, PTP.count(Math.round(per(sum('multiply_adds'))))), ' multiply-adds a sample, weights ', PTP.bytes(sum('bytes')), ', results of operations ', PTP.bytes(activations), ' a batch of ' + s.samples + '.'),
    PTP.table(['component', 'type', 'plugin', 'output', 'parameters', 'trained', 'in buffers', 'memory', 'multiply-adds a sample'], rows, 'components with parameters or operations; multiply-adds are those of convolutions and products of matrices in the forward pass'),
    details, make('details', {}, make('summary', {}, 'Pipeline'), PTP.pipeline(s.components, () => null)));
};

// Draws a pipeline as boxes in the order of the computation; `mark` returns what is special about a component.
PTP.pipeline = (components, mark) => PTP.make('ol', { class: 'pipeline' }, components.map(c => {
  const { make } = PTP;
  const special = mark(c);
  const streams = list => [...new Set(list.map(([, stream]) => stream))].join(', ');
  return make('li', { class: special ? 'changed' : null }, make('b', {}, c.name), ' ', c.type, special ? make('div', { class: 'change' }, '≠ ' + special) : null,
    make('div', { class: 'faint' }, [streams(c.inputs), streams(c.outputs)].filter(Boolean).join(' → ')));
}));

// The numbers that the pictures of kernels show, a row for each row of a kernel.
PTP.kernelTable = function (k) {
  const bytes = Uint8Array.from(atob(k.pixels), c => c.charCodeAt(0));
  const isColored = k.channels === 3, planes = isColored ? 3 : 1;
  const rows = [];
  for (let image = 0; image < k.count; ++image) for (let plane = 0; plane < planes; ++plane) for (let y = 0; y < k.height; ++y) {
    const at = x => bytes[((image * k.height + y) * k.width + x) * planes + plane];
    rows.push([Math.floor(image / k.inputs), isColored ? plane : image % k.inputs, y, ...Array.from({ length: k.width }, (_, x) => +((at(x) - 128) / 127 * k.largest).toPrecision(2))]);
  }
  return PTP.table(['kernel', 'input', 'row', ...Array.from({ length: k.width }, (_, x) => 'column ' + x)], rows, `numbers of ${k.name}, to 1/127 of the largest magnitude`);
};

PTP.kernels = function (s) {
  const { make } = PTP;
  return make('div', {}, make('p', { class: 'faint' }, s.file + '; grey is 0, black and white are the largest magnitude; of kernels with several inputs a row has the first of them'),
    s.list.map(k => make('div', {}, make('h3', {}, `${k.name} ${PTP.sizes(k.sizes, null)}, magnitudes up to ${PTP.short(k.largest)}`),
      make('div', { class: 'kernels' }, Array.from({ length: k.count / k.inputs }, (_, kernel) => make('div', { class: 'kernel' },
        Array.from({ length: k.inputs }, (_, input) => PTP.thumbnail(k, kernel * k.inputs + input, `kernel ${kernel}` + (k.inputs > 1 ? `, input ${input}` : '')))))),
    PTP.behind('Numbers', () => PTP.kernelTable(k)))));
};

// A row for each sample, with a column for each epoch where it differs from epoch to epoch.
PTP.versions = function (section) {
  const { make } = PTP;
  const v = section.versions;
  if (!v) return null;
  const columns = v.streams.flatMap(s => Array.from({ length: s.epochs }, (_, epoch) => ({ s, epoch, title: s.name + (s.epochs > 1 ? ', epoch ' + (epoch + 1) : '') })));
  const cell = ({ s, epoch, title }, row) => {
    const value = s.values[row * s.epochs + epoch];
    return make('td', {}, s.form === 'image' ? PTP.thumbnail({ ...value, channels: 3 }, 0, title + ' of sample ' + v.index[row]) : value);
  };
  const isVaried = v.streams.some(s => s.epochs > 1);
  return [make('h3', {}, 'Samples of ' + section.name),
    make('p', { class: 'faint' }, isVaried ? 'As each epoch gets them; a stream without an epoch is the same in all.' : 'They are the same in all epochs.'),
    make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'versions of samples of ' + section.name }, make('table', { class: 'versions' },
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'sample'), columns.map(c => make('th', { scope: 'col' }, c.title)))),
      make('tbody', {}, v.index.map((index, row) => make('tr', {}, make('th', { scope: 'row' }, '№ ' + index), columns.map(c => cell(c, row)))))))];
};

PTP.data = function (s) {
  const { make, counted } = PTP;
  const rows = s.sections.flatMap(section => section.streams.map(stream => [section.name, ...stream.slice(0, 3), ...stream.slice(3, 7).map(v => typeof v === 'number' ? { text: String(+v.toPrecision(6)), value: v } : ''), stream[7] || '']));
  return make('div', {},
    s.warnings.length ? make('ul', { class: 'warnings' }, s.warnings.map(w => make('li', {}, '⚠ ' + w))) : make('p', { class: 'faint' }, 'The sections do not differ more than their numbers of samples explain.'),
    PTP.table(['section', 'task', 'samples', 'read'], s.sections.map(x => [x.name, x.task, counted(x.samples), counted(x.read)]), 'sections'),
    PTP.table(['section', 'stream', 'type', 'shape', 'smallest', 'largest', 'mean', 'deviation', 'not finite'], rows, 'streams as the tasks deliver them; of texts their lengths'),
    s.sections.map(PTP.versions),
    s.classes.map(c => PTP.table([c.stream, ...c.sections], c.rows.map(row => row.map((v, i) => i === 0 ? v : { text: PTP.percent(v), value: v })), 'shares of ' + c.stream)));
};
