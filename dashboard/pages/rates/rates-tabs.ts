/** Tabs of the pages about rates. */
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/rates', label: 'Rates' },
  { path: '/rates/upcoming', label: 'Upcoming' },
  { path: '/rates/waiting', label: 'Waiting models' },
  { path: '/rates/negotiated', label: 'Custom rates' },
  { path: '/rates/agreements', label: 'Agreements' },
  { path: '/rates/commitments', label: 'Commitments' },
  { path: '/rates/credits', label: 'Credits' },
] as const;

export function ratesHeading(title: string, here: (typeof TABS)[number]['path'], action: Html | false = false): Html {
  return html`
<div class="heading"><h1>${title}</h1>
  <nav aria-label="Rates"><ul class="windows">${TABS.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>${action}
</div>`;
}
