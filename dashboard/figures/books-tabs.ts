/** Tabs of the pages about the books. */
import type { Principal } from '#platform/principal.ts';
import { mayOpen } from '../http/page-access.ts';
import { html, type Html } from '../shell/html.ts';

const TABS = [
  { path: '/books', label: 'Verification' },
  { path: '/books/bills', label: 'Bills' },
  { path: '/books/closing', label: 'Closing' },
  { path: '/books/set-aside', label: 'Excluded' },
  { path: '/books/not-understood', label: 'Not understood' },
] as const;

export function booksHeading(principal: Principal, title: string, here: (typeof TABS)[number]['path']): Html {
  const tabs = TABS.filter(({ path }) => mayOpen(principal, path));
  return html`
<div class="heading"><h1>${title}</h1>
  ${
    tabs.length > 1 &&
    html`<nav aria-label="Books"><ul class="windows">${tabs.map(
      ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
    )}</ul></nav>`
  }
</div>`;
}
