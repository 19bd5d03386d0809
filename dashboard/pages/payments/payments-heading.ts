/** Tabs of the pages about payments, and the state of a sync run. */
import { enumText } from '#kernel/enum-value.ts';
import type { DataOf } from '#schema/graphql.ts';
import { html, type Html } from '../../shell/html.ts';

const TABS = [
  { path: '/settings/payments', label: 'Connection' },
  { path: '/settings/payments/customers', label: 'Customers' },
] as const;

export function paymentsHeading(title: string, here: (typeof TABS)[number]['path']): Html {
  return html`
<div class="heading"><h1>${title}</h1>
  <nav aria-label="Payments"><ul class="windows">${TABS.map(
    ({ path, label }) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
</div>`;
}

type Run = NonNullable<DataOf<'PaymentsPage'>['revenueConnection']>['runs']['nodes'][number];

export function syncState({ state, stage, error }: Run): Html {
  if (state === 'RUNNING')
    return error === null
      ? html`<span class="badge">reading ${enumText(stage).replaceAll('_', ' ')}</span>`
      : html`<span class="badge bad">waiting to retry</span>`;
  return html`<span class="badge${state === 'FINISHED' ? ' good' : ''}">${enumText(state)}</span>`;
}
