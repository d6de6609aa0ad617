// Maps of the pixels that speak for a class: a row for each image, a figure for each method; and attention.
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
    const title = ['Sample ' + sample.index + (sample.file ? ', ' + sample.file : ''), [sample.predicted ? 'predicted ' + sample.predicted : '', sample.target ? 'explained ' + what : ''].filter(Boolean).join(', ')].filter(Boolean).join(': ');
    return make('section', {},
      make('h3', {}, title),
      sample.png || sample.maps.length ? make('div', { class: 'images' },
        make('figure', {}, picture(sample.png, 'sample ' + sample.index), make('figcaption', {}, 'the image')),
        sample.maps.map(m => make('figure', {}, picture(m.png, m.method + ' of sample ' + sample.index), make('figcaption', { title: m.settings }, m.method, facts(m)))), PTP.attentionPictures(sample.attention, sample.index)) : null,
      PTP.attention(sample.attention, sample.index));
  });
  const about = [s.samples.some(sample => sample.maps.length) ? 'Orange speaks for the class, violet against it.' : '', `Of checkpoint ${s.name}, section ${s.section}` + (s.preset ? ', defaults of ' + s.preset : '') + (s.note ? '; ' + s.note : '')];
  return make('div', {}, make('p', { class: 'faint' }, about.filter(Boolean).join(' ')), rows);
};
