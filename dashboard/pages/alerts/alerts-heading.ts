/** Tabs of the pages about alerts. */
import type { Principal } from '#platform/principal.ts';
import { mayOpen } from '../../http/page-access.ts';
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/alerts', label: 'Alerts' },
  { path: '/alerts/budgets', label: 'Budgets' },
  { path: '/alerts/statements', label: 'Statements' },
  { path: '/alerts/channels', label: 'Channels' },
] as const;

export function alertsHeading(principal: Principal, title: string, here: (typeof TABS)[number]['path'] | null): Html {
  const tabs = TABS.filter(({ path }) => mayOpen(principal, path));
  return html`
<div class="heading"><h1>${title}</h1>
  <nav aria-label="Alerts"><ul class="windows">${tabs.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
</div>`;
}
