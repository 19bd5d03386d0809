/** Heading of both simulations, with links to the other one and to other windows. Every state has a URL. */
import { type WindowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/what-if', label: 'Models and prices' },
  { path: '/what-if/plan', label: 'Plans' },
] as const;

type WhatIfPath = (typeof TABS)[number]['path'];

/** Parameters removed when another window is chosen. */
const NOT_KEPT = ['window', 'from', 'to', 'at', 'after'];

/** `query` is kept when another window is chosen, except for the page cursor. */
export function whatIfHeading(here: WhatIfPath, window: WindowChoice, query: URLSearchParams): Html {
  return html`
<div class="heading"><h1>What if</h1>
  <nav aria-label="Simulations"><ul class="windows">${TABS.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
  ${windowLinks(
    window,
    here,
    [...query].filter(([name, value]) => value !== '' && !NOT_KEPT.includes(name)),
  )}
</div>`;
}

/** The URL with some fields changed; `null` and empty fields are omitted. */
export function addressOf(
  path: WhatIfPath | `${WhatIfPath}.csv`,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): string {
  const fields = Object.entries({ ...Object.fromEntries(query), ...changes });
  const kept = fields.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]]));
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}

/** Hidden fields of these pages' forms: the window, including custom dates. */
export function windowFields(window: WindowChoice): Html[] {
  return windowParameters(window).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}
