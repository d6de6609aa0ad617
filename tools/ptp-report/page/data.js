// Unpacks the page's data, and makes elements. Texts of a run become text nodes only, never HTML.
'use strict';
const PTP = {};

PTP.unpack = async function () {
  const bytes = Uint8Array.from(atob(document.getElementById('data').textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
};

// Makes an element with attributes, functions for events, and children.
PTP.make = function (tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
};

PTP.shown = value => value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

// Makes a table whose columns can be sorted by their titles. A cell is a value, or {text, value}, sorted by the
// latter; with {pick} it is a button.
PTP.table = function (titles, rows, caption) {
  const { make, shown } = PTP;
  const body = make('tbody');
  const fill = list => body.replaceChildren(...list.map(row => make('tr', {}, row.map(cell =>
    make('td', { class: typeof cell === 'number' || (cell && cell.text !== undefined && typeof cell.value === 'number' && !cell.pick) ? 'number' : null }, cell && cell.pick ? make('button', { type: 'button', class: 'pick', click: cell.pick }, cell.text) : cell && cell.text !== undefined ? cell.text : shown(cell))))));
  let sorted = -1, sign = 1;
  const by = column => {
    sign = sorted === column ? -sign : 1;
    sorted = column;
    const missing = v => v === null || v === undefined || v === '';
    fill([...rows].sort((a, b) => {
      const [x, y] = [a[column], b[column]].map(cell => cell && cell.text !== undefined ? cell.value : cell);
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : shown(x) < shown(y) ? -1 : shown(x) > shown(y) ? 1 : 0);
    }));
    heads.forEach((head, i) => head.setAttribute('aria-sort', i !== column ? 'none' : sign > 0 ? 'ascending' : 'descending'));
  };
  const heads = titles.map((title, i) => make('th', { scope: 'col' }, make('button', { type: 'button', click: () => by(i) }, title)));
  fill(rows);
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption || 'table' },
    make('table', {}, caption ? make('caption', {}, caption) : null, make('thead', {}, make('tr', {}, heads)), body));
};

// Makes a table behind a picture, which is made when it is first opened.
PTP.behind = function (title, table) {
  const details = PTP.make('details', { toggle: () => { if (details.open && details.children.length === 1) details.append(table()); } }, PTP.make('summary', {}, title));
  return details;
};

// Adds up differences.
PTP.sums = function (differences) {
  let sum = 0;
  return differences.map(d => sum += d);
};

PTP.section = (run, kind) => run.sections.find(s => s.kind === kind);

// Okabe and Ito's colors, which the color-blind can tell apart, as darker and lighter ones. Dashes and marks besides,
// by which curves and points are distinct without colors.
PTP.colors = { light: ['#0072b2', '#b34a00', '#00704f', '#8f3f71', '#7a5b00', '#2b6f99', '#333333'], dark: ['#56b4e9', '#e69f00', '#2fc79b', '#e79bc5', '#f0e442', '#9ad1f5', '#e0e0e0'] };
PTP.dashes = [null, [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 2, 1, 2], [1, 4], [14, 3, 3, 3, 3, 3], [6, 7], [3, 6], [16, 2, 1, 2], [5, 2, 5, 7]];
// Paper is light, whatever the screen is.
PTP.isDark = function () {
  if (PTP.isPrinted) return false;
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
PTP.color = i => { const list = PTP.colors[PTP.isDark() ? 'dark' : 'light']; return list[i % list.length]; };
PTP.css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Returns the outline of a mark, as SVG and Path2D take it: a circle, a square, a triangle, a rhombus or a cross.
PTP.markPath = function (i, x, y, r) {
  const to = points => 'M' + points.map(([a, b]) => `${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}`).join('L') + 'Z';
  switch (i % 5) {
    case 0: return `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    case 1: return to([[-1, -1], [1, -1], [1, 1], [-1, 1]]);
    case 2: return to([[0, -1.3], [1.2, 1], [-1.2, 1]]);
    case 3: return to([[0, -1.4], [1.4, 0], [0, 1.4], [-1.4, 0]]);
    default: return to([[-1.3, -.4], [-.4, -.4], [-.4, -1.3], [.4, -1.3], [.4, -.4], [1.3, -.4], [1.3, .4], [.4, .4], [.4, 1.3], [-.4, 1.3], [-.4, .4], [-1.3, .4]]);
  }
};
