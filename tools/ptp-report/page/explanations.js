// Maps of the pixels that speak for a class: a row for each image, a figure for each method.
PTP.explanations = function (s) {
  const { make } = PTP;
  const picture = (png, text) => png ? make('img', { src: 'data:image/png;base64,' + png, alt: text }) : make('span', { class: 'faint' }, 'no picture');
  const digits = v => +v.toPrecision(3);
  const facts = m => [
    m.relative_delta === null ? '' : 'delta ' + digits(100 * m.relative_delta) + ' %',
    m.dependence === null ? '' : 'random last layer: ' + digits(m.dependence),
    m.dependence > 0.8 ? 'hardly depends on the model' : '',
  ].filter(Boolean).flatMap(line => [make('br'), make('span', { class: 'faint' }, line)]);
  const rows = s.samples.map(sample => {
    const what = sample.target + (sample.against ? ' and not ' + sample.against : '');
    return make('section', {},
      make('h3', {}, 'Sample ' + sample.index + (sample.file ? ', ' + sample.file : '') + ': predicted ' + sample.predicted + ', explained ' + what),
      make('div', { class: 'images' },
        make('figure', {}, picture(sample.png, 'sample ' + sample.index), make('figcaption', {}, 'the image')),
        sample.maps.map(m => make('figure', {}, picture(m.png, m.method + ' of sample ' + sample.index), make('figcaption', { title: m.settings }, m.method, facts(m))))));
  });
  return make('div', {}, make('p', { class: 'faint' }, 'Orange speaks for the class, violet against it. Of checkpoint ' + s.name + ', section ' + s.section + ', defaults of ' + s.preset + (s.note ? '; ' + s.note : '')), rows);
};
