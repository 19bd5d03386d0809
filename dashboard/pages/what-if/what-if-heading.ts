/** The heading of both simulations: which of them, and of which window. Every state is an address. */
import { type WindowChoice, windowLinks } from '../../figures/window-choice.ts';
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/what-if', label: 'Models and rates' },
  { path: '/what-if/plan', label: 'Plans' },
] as const;

type WhatIfPath = (typeof TABS)[number]['path'];

/** `query` is kept when another window is chosen, but for the page. */
export function whatIfHeading(here: WhatIfPath, window: WindowChoice, query: URLSearchParams): Html {
  return html`
<div class="heading"><h1>What if</h1>
  <nav aria-label="Simulations"><ul class="windows">${TABS.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
  ${windowLinks(window, ([[, name] = ['window', '']]) => addressOf(here, query, { window: name, after: null }), null)}
</div>`;
}

/** The address with some fields changed; `null` and empty ones are left out. */
export function addressOf(
  path: WhatIfPath | `${WhatIfPath}.csv`,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): string {
  const fields = Object.entries({ ...Object.fromEntries(query), ...changes });
  const kept = fields.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]]));
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}

/** What a form of these pages takes along: the window. */
export function windowField({ name }: WindowChoice): Html {
  return html`<input type="hidden" name="window" value="${name}">`;
}

export function headline(name: string, figure: string, note: Html | string): Html {
  return html`<div class="panel headline"><h2>${name}</h2><p class="figure">${figure}</p><p class="muted">${note}</p></div>`;
}
