/** Figures at the pointer, submitted choices, copying, search, refreshing. Pages work without it. */
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const parse = (text) => new DOMParser().parseFromString(text, 'text/html');
const make = (tag, className, text = '') =>
  Object.assign(document.createElement(tag), { className, textContent: text });

/** Shows a row of the chart's table at the pointer, or at the bucket chosen with the arrow keys. */
function readable(figure) {
  const rows = all('.readings tbody tr', figure);
  const plot = figure.querySelector('.plot');
  const svg = plot?.querySelector('svg');
  if (rows.length === 0 || !svg) return;
  const names = all('.readings thead th', figure).map((cell) => cell.textContent);
  const line = make('i', 'crosshair');
  const box = make('div', 'readout');
  box.setAttribute('role', 'status');
  let at = rows.length;
  const hide = () => (line.hidden = box.hidden = true);
  const show = (index) => {
    at = Math.min(Math.max(index, 0), rows.length - 1);
    const entries = [...rows[at].cells].map((cell, place) => [names[place], cell.textContent.trim()]);
    box.replaceChildren(
      make('b', '', entries[0][1]),
      ...entries
        .slice(1)
        .flatMap(([name, text]) => (text && text !== '$0.00' ? [make('p', '', `${name} ${text}`)] : [])),
    );
    line.hidden = box.hidden = false;
    const [inner, outer] = [svg.getBoundingClientRect(), plot.getBoundingClientRect()];
    const x = inner.left - outer.left + ((at + 0.5) / rows.length) * inner.width;
    line.style.left = `${x}px`;
    const isLeft = x + box.offsetWidth + 12 > outer.width;
    box.style.left = `${Math.max(isLeft ? x - box.offsetWidth - 12 : x + 12, 0)}px`;
  };
  plot.append(line, box);
  hide();
  plot.tabIndex = 0;
  plot.setAttribute('role', 'group');
  plot.setAttribute('aria-label', 'Figures: use the arrow keys');
  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    show(Math.floor(((clientX - left) / width) * rows.length));
  });
  plot.addEventListener('pointerleave', hide);
  plot.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') hide();
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  });
}

function copyable(code) {
  const button = make('button', 'quiet copy', 'Copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  });
  code.after(button);
}

/** Replaces a slow panel with the one on its own page. */
async function load(panel) {
  const response = await fetch(panel.dataset.later, { redirect: 'error' }).catch(() => null);
  const loaded = response?.ok && parse(await response.text()).getElementById(panel.id);
  if (loaded) panel.replaceWith(loaded);
}

function enhance() {
  all('figure.trend').forEach(readable);
  all('[data-later]').forEach(load);
  if (navigator.clipboard) all('.secret code, pre.lines').forEach(copyable);
  for (const at of all('time[datetime*=T]')) at.title = new Date(at.dateTime).toLocaleString();
  for (const select of all('.controls form[method=get] select:not([name=add])'))
    select.addEventListener('change', () => select.form.requestSubmit());
}

addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, select, textarea');
  const isSearch = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  const field = document.querySelector('#search');
  if (!isSearch || !field) return;
  event.preventDefault();
  field.focus();
});

/** The refresh stops with the first click or key. */
let isUntouched = true;
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => (isUntouched = false));
let tag = document.body.dataset.tag;
if (tag)
  setInterval(async () => {
    if (!isUntouched || document.hidden) return;
    const response = await fetch(location.href, { headers: { 'If-None-Match': tag }, redirect: 'error' }).catch(
      () => null,
    );
    if (response?.status !== 200 || !isUntouched) return;
    tag = response.headers.get('etag');
    document.querySelector('main').replaceWith(parse(await response.text()).querySelector('main'));
    enhance();
  }, 60_000);

enhance();
