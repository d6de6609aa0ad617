// Small pictures as SVG: axes from 0 to 1 or of a range, curves, bars and points. A table stands behind each.
PTP.svg = function (tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'stroke' || name === 'fill') element.style[name] = value;
    else element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child) element.append(child);
  return element;
};

// Makes a picture with two axes; `draw` gets functions from numbers to places, and returns what is in it.
PTP.figure = function ({ label, x, y, xTitle, yTitle, draw }) {
  const { svg } = PTP;
  const [left, top, width, height] = [46, 8, 300, 220];
  const span = range => range[1] > range[0] ? range[1] - range[0] : 1;
  const px = v => left + (v - x[0]) / span(x) * width;
  const py = v => top + height - (v - y[0]) / span(y) * height;
  const short = v => String(+v.toPrecision(3));
  const ticks = range => [0, .25, .5, .75, 1].map(t => range[0] + t * span(range));
  return svg('svg', { viewBox: '0 0 360 270', role: 'img', 'aria-label': label, class: 'figure' },
    ticks(x).map(t => svg('text', { x: px(t), y: top + height + 15, 'text-anchor': 'middle' }, short(t))),
    ticks(y).map(t => svg('text', { x: left - 4, y: py(t) + 4, 'text-anchor': 'end' }, short(t))),
    ticks(y).map(t => svg('line', { x1: left, x2: left + width, y1: py(t), y2: py(t), class: 'grid-line' })),
    svg('text', { x: left + width / 2, y: 264, 'text-anchor': 'middle' }, xTitle),
    svg('text', { x: 11, y: top + height / 2, 'text-anchor': 'middle', transform: `rotate(-90 11 ${top + height / 2})` }, yTitle),
    draw(px, py));
};

PTP.polyline = (xs, ys, px, py, i, title) => PTP.svg('polyline', { points: xs.map((x, k) => px(x).toFixed(1) + ',' + py(ys[k]).toFixed(1)).join(' '), class: 'curve', stroke: `var(--c${i % 7})`, 'stroke-dasharray': (PTP.dashes[i % PTP.dashes.length] || []).join(' ') },
  PTP.svg('title', {}, title));

// Returns the color of a class at a place of a picture; null for class 0 and for none. Stripes of different directions
// keep classes apart without colors.
PTP.classColor = function (found, x, y) {
  if (found === 0 || found === 255) return null;
  const color = PTP.colors.dark[(found - 1) % PTP.colors.dark.length];
  const stripe = [false, (x + y) % 9 < 3, y % 9 < 3, x % 9 < 3, (x + 900 - y) % 9 < 3][(found - 1) % 5];
  return [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16) * (stripe ? 0.55 : 1));
};

// Draws the classes of places, [H, W], in colors over the grey of an image of the same size, if there is one.
// Class 0 and places without a class are left as they are.
PTP.overlay = function (stream, image, place, label) {
  if (!stream.bytes) stream.bytes = Uint8Array.from(atob(stream.pixels), c => c.charCodeAt(0));
  const { height, width } = stream;
  const under = image && image.height === height && image.width === width ? PTP.pixels(image, place) : null;
  const scale = Math.max(1, Math.min(Math.ceil(132 / width), Math.floor(Math.sqrt(1e6 / (width * height)))));
  const drawn = new ImageData(width * scale, height * scale);
  for (let i = 0; i < drawn.width * drawn.height; ++i) {
    const x = i % drawn.width, y = Math.floor(i / drawn.width);
    const from = Math.floor(y / scale) * width + Math.floor(x / scale);
    const grey = under ? (under[4 * from] + under[4 * from + 1] + under[4 * from + 2]) / 3 : 40;
    const color = PTP.classColor(stream.bytes[place * height * width + from], x, y);
    for (let c = 0; c < 3; ++c) drawn.data[4 * i + c] = color ? 0.45 * grey + 0.55 * color[c] : grey;
    drawn.data[4 * i + 3] = 255;
  }
  return PTP.painted(drawn, { role: 'img', 'aria-label': label, class: 'thumbnail' });
};

PTP.painted = function (drawn, attributes) {
  const canvas = PTP.make('canvas', { width: drawn.width, height: drawn.height, ...attributes });
  canvas.getContext('2d').putImageData(drawn, 0, 0);
  return canvas;
};

// Makes a key of the classes that a section's pictures have, with the names that are known.
PTP.classKey = function (section) {
  const { make } = PTP;
  const streams = [section.examples, ...section.more_examples].filter(Boolean).flatMap(e => e.streams).filter(s => s.form === 'classes');
  const found = new Set();
  for (const stream of streams) {
    if (!stream.bytes) stream.bytes = Uint8Array.from(atob(stream.pixels), c => c.charCodeAt(0));
    stream.bytes.forEach(c => found.add(c));
  }
  const sign = c => {
    const drawn = new ImageData(27, 14);
    for (let i = 0; i < 27 * 14; ++i) drawn.data.set([...PTP.classColor(c, i % 27, Math.floor(i / 27)), 255], 4 * i);
    return PTP.painted(drawn, { 'aria-hidden': 'true' });
  };
  const classes = [...found].filter(c => c !== 0 && c !== 255).sort((a, b) => a - b).slice(0, 40);
  return classes.length ? make('p', { class: 'key' }, 'segments: ', classes.map(c => make('span', {}, sign(c), ' ' + (section.segment_names[c] || c)))) : null;
};

// Returns the bytes of an image, [H, W, 1 or 3], as [H, W, 4].
PTP.pixels = function (stream, place) {
  if (!stream.bytes) stream.bytes = Uint8Array.from(atob(stream.pixels), c => c.charCodeAt(0));
  const { height, width, channels } = stream;
  const data = new Uint8ClampedArray(4 * height * width);
  for (let i = 0, from = place * height * width * channels; i < height * width; ++i) {
    for (let c = 0; c < 3; ++c) data[4 * i + c] = stream.bytes[from + i * channels + (channels === 3 ? c : 0)];
    data[4 * i + 3] = 255;
  }
  return data;
};

// Draws the bytes of an image.
PTP.thumbnail = function (stream, place, label) {
  const { height, width } = stream;
  return PTP.painted(new ImageData(PTP.pixels(stream, place), width, height), { role: 'img', 'aria-label': label, class: 'thumbnail' });
};
