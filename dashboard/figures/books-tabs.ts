/** Tabs of the pages about the books. */
import { html, type Html } from '../shell/html.ts';

const TABS = [
  { path: '/books', label: 'Verification' },
  { path: '/books/bills', label: 'Bills' },
  { path: '/books/closing', label: 'Closing' },
  { path: '/books/set-aside', label: 'Excluded' },
  { path: '/books/not-understood', label: 'Not understood' },
] as const;

/** `isAdmin`: false for people who may read only the closing. */
export function booksHeading(title: string, here: (typeof TABS)[number]['path'], isAdmin = true): Html {
  const tabs = isAdmin ? TABS : TABS.filter(({ path }) => path === '/books/closing');
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
