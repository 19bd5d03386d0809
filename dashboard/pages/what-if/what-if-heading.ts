/** The heading of both simulations: which of them, and of which window. Every state is an address. */
import { type WindowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/what-if', label: 'Models and rates' },
  { path: '/what-if/plan', label: 'Plans' },
] as const;

type WhatIfPath = (typeof TABS)[number]['path'];

/** What another window takes out of an address. */
const NO_WINDOW = { window: null, from: null, to: null, after: null };

/** `query` is kept when another window is chosen, but for the page. */
export function whatIfHeading(here: WhatIfPath, window: WindowChoice, query: URLSearchParams): Html {
  return html`
<div class="heading"><h1>What if</h1>
  <nav aria-label="Simulations"><ul class="windows">${TABS.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
  ${windowLinks(window, ([[, name] = ['window', '']]) => addressOf(here, query, { ...NO_WINDOW, window: name }), {
    action: here,
    hidden: [...query].filter(([name]) => !(name in NO_WINDOW)),
  })}
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

/** What a form of these pages takes along: the window, also one of the person's own dates. */
export function windowFields(window: WindowChoice): Html[] {
  return windowParameters(window).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}
