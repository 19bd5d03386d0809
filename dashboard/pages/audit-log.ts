/** `/audit-log`: actions on keys, sessions, connections, rates and prices. For owners. */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatInstant } from '../figures/instant.ts';
import { withSession } from '../http/with-session.ts';
import { queryOf } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

const FIELDS = '{ id at action actor accountUserId subjectId detail }';

/** Each subgraph has its own log; ids are time-ordered in all of them. */
const RECORDS = graphql(`query AuditRecords($limit: Int!, $before: ID) {
  identity: auditLog(limit: $limit, before: $before) ${FIELDS}
  costing: costingAuditLog(limit: $limit, before: $before) ${FIELDS}
  attribution: attributionAuditLog(limit: $limit, before: $before) ${FIELDS}
  revenue: revenueAuditLog(limit: $limit, before: $before) ${FIELDS}
  alerting: alertingAuditLog(limit: $limit, before: $before) ${FIELDS}
  reconciliation: reconciliationAuditLog(limit: $limit, before: $before) ${FIELDS}
}`);

const RECORDS_PER_PAGE = 50;

type AuditRecord = DataOf<'AuditRecords'>['identity'][number];

export function auditLogPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/audit-log',
    withSession(dependencies, async (signedIn) => {
      const before = queryOf(signedIn.request).get('before');
      // Reads one record more than is shown, to detect a next page.
      const logs = await askGateway(
        dependencies.gateway,
        RECORDS,
        { limit: RECORDS_PER_PAGE + 1, before },
        signedIn.principal,
      );
      const records = Object.values(logs)
        .flat()
        .sort((one, other) => (one.id < other.id ? 1 : -1));
      const shown = records.slice(0, RECORDS_PER_PAGE);
      const body = html`
<h1>Audit log</h1>
<p class="lead">Actions on keys, devices, connections, rates and prices, newest first.</p>
${shown.length === 0 ? html`<p class="panel empty">No ${before === null ? 'yet' : 'older'}.</p>` : table(shown, signedIn.principal.accountUserId)}
<p class="pager">${before !== null && html`<a href="/audit-log">Newest</a>`}
  ${records.length > shown.length && html`<a href="/audit-log?before=${shown.at(-1)?.id}">Older</a>`}</p>`;
      return sendFramed(signedIn, { title: 'Audit log', body });
    }),
  );
}

function table(records: readonly AuditRecord[], own: string | null): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Audit log"><table>
  <caption class="unseen">Audit log</caption>
  <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Detail</th><th scope="col">By</th></tr></thead>
  <tbody>${records.map(
    ({ at, action, actor, accountUserId, subjectId, detail }) => html`
    <tr><td>${formatInstant(at)}</td>
      <th scope="row">${inWords(action)}${subjectId !== null && html`<br><span class="muted id">${subjectId}</span>`}</th>
      <td>${detail}</td>
      <td>${inWords(enumText(actor))}${accountUserId !== null && html`<br><span class="muted id">${accountUserId === own ? 'you' : accountUserId}</span>`}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

/** `api_key.rotated` → `API key rotated`. */
function inWords(name: string): string {
  const words = name
    .replaceAll(/[._-]/g, ' ')
    .replaceAll(/\b(api|oauth)\b/g, (word) => (word === 'api' ? 'API' : 'OAuth'));
  return words.charAt(0).toUpperCase() + words.slice(1);
}
