/** `/audit-log`: actions on keys, sessions, connections, rates and prices. For owners. */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatInstant } from '../figures/instant.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { withSession } from '../http/with-session.ts';
import { queryOf } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

const FIELDS = '{ edges { cursor node { id at action actor accountUserId subjectId detail } } }';

/** Each subgraph has its own log; ids are time-ordered in all of them, and a cursor of one log fits the others. */
const RECORDS = graphql(`query AuditRecords($first: Int!, $after: String) {
  identity: auditLog(first: $first, after: $after) ${FIELDS}
  costing: costingAuditLog(first: $first, after: $after) ${FIELDS}
  attribution: attributionAuditLog(first: $first, after: $after) ${FIELDS}
  revenue: revenueAuditLog(first: $first, after: $after) ${FIELDS}
  alerting: alertingAuditLog(first: $first, after: $after) ${FIELDS}
  reconciliation: reconciliationAuditLog(first: $first, after: $after) ${FIELDS}
}`);

const PEOPLE = graphql(`query AuditedPeople { accountUsers { id email } }`);

const RECORDS_PER_PAGE = 50;

type AuditRecord = DataOf<'AuditRecords'>['identity']['edges'][number]['node'];

export function auditLogPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/audit-log',
    withSession(dependencies, async (signedIn) => {
      const after = queryOf(signedIn.request).get('after');
      // Reads one record more than is shown, to detect a next page.
      const logs = await askGateway(
        dependencies.gateway,
        RECORDS,
        { first: RECORDS_PER_PAGE + 1, after },
        signedIn.principal,
      );
      const records = Object.values(logs)
        .flatMap(({ edges }) => edges)
        .sort(({ node: one }, { node: other }) => (one.id < other.id ? 1 : -1));
      const shown = records.slice(0, RECORDS_PER_PAGE);
      const body = html`
<h1>Audit log</h1>
<p class="lead">Actions on keys, devices, connections, rates and prices, newest first.</p>
${
  shown.length === 0
    ? html`<p class="panel empty">No ${after === null ? 'records yet' : 'older records'}.</p>`
    : table(
        shown.map(({ node }) => node),
        await peopleOf(dependencies.gateway, signedIn.principal),
      )
}
<p class="pager">${after !== null && html`<a href="/audit-log">Newest</a>`}
  ${records.length > shown.length && html`<a href="/audit-log?after=${shown.at(-1)?.cursor}">Older</a>`}</p>`;
      return sendFramed(signedIn, { title: 'Audit log', body });
    }),
  );
}

/** Names of the account users by id. A removed account has no name. */
async function peopleOf(gateway: GatewayClient, principal: Principal): Promise<ReadonlyMap<string, string>> {
  const { value } = await outcomeOf(askGateway(gateway, PEOPLE, {}, principal), []);
  const emails = (value?.accountUsers ?? []).map(({ id, email }) => [id, email] as const);
  return new Map([...emails, [principal.accountUserId ?? '', 'you']]);
}

function table(records: readonly AuditRecord[], people: ReadonlyMap<string, string>): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Audit log"><table class="fold">
  <caption class="unseen">Audit log</caption>
  <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Detail</th><th scope="col">By</th></tr></thead>
  <tbody>${records.map(
    ({ at, action, actor, accountUserId, subjectId, detail }) => html`
    <tr><td>${formatInstant(at)}</td>
      <th scope="row">${inWords(action)}${subjectId !== null && html` <br><span class="muted id">${subjectId}</span>`}</th>
      <td>${detail ?? ''}</td>
      <td data-label="By">${inWords(enumText(actor))}${accountUserId !== null && html` <br><span class="muted id">${people.get(accountUserId) ?? accountUserId}</span>`}</td></tr>`,
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
