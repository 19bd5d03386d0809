/** Long operations, as shown on the pages. */
import { enumText } from '#kernel/enum-value.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { csrfField } from '../http/form.ts';
import type { SignedIn } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { formatCount } from './amount.ts';
import { formatInstant } from './instant.ts';

const FIELDS = '{ nodes { id kind state done total lastError startedAt updatedAt finishedAt } }';
const OPERATIONS = graphql(`query LongOperations($first: Int!) {
  costing: costingOperations(first: $first) ${FIELDS}
  attribution: attributionOperations(first: $first) ${FIELDS}
}`);

type Operation = DataOf<'LongOperations'>['costing']['nodes'][number];
/** `subgraph`: where the operation is cancelled and resumed. */
export interface LongOperation extends Operation {
  readonly subgraph: 'costing' | 'attribution';
}

/** Label of each kind, and the unit that it counts. */
const KINDS: Readonly<Record<string, readonly [name: string, things: string]>> = {
  reprice: ['Repricing', 'events'],
  revert: ['Reverting a repricing', 'events'],
  'requeue-waiting': ['Pricing waiting events', 'events'],
  'requeue-failed': ['Retrying failed events', 'events'],
  'erase-end-user': ['Erasing a customer', 'events'],
  verify: ['Verifying the books', 'events'],
  backfill: ['Rolling up dimensions', 'costs'],
  rebuild: ['Rebuilding the breakdowns', 'costs'],
};

const TONES: Readonly<Record<string, string>> = { FINISHED: 'good', FAILED: 'bad', CANCELLED: 'test', RUNNING: '' };

/** Operations of the organization, newest first. */
export async function listLongOperations(
  gateway: GatewayClient,
  principal: Principal,
  limit: number,
): Promise<LongOperation[]> {
  const { costing, attribution } = await askGateway(gateway, OPERATIONS, { first: limit }, principal);
  return [
    ...costing.nodes.map((operation) => ({ ...operation, subgraph: 'costing' as const })),
    ...attribution.nodes.map((operation) => ({ ...operation, subgraph: 'attribution' as const })),
  ]
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit);
}

export function operationList({ csrf, principal }: SignedIn, operations: readonly LongOperation[]): Html {
  if (operations.length === 0) return html`<p class="panel empty">No background jobs.</p>`;
  return html`
<ul class="rows">${operations.map((operation) => {
    const { id, kind, state, subgraph, lastError, startedAt, finishedAt } = operation;
    const [name] = KINDS[kind] ?? [kind, 'steps'];
    const button = (action: 'cancel' | 'resume', label: string) => html`
    <form method="post" action="/books/operations/${action}">${csrfField(csrf)}<input type="hidden" name="subgraph" value="${subgraph}">
      <button class="secondary" name="id" value="${id}" aria-label="${label}: ${name} of ${startedAt}">${label}</button></form>`;
    return html`
  <li class="panel row">
    <div>
      <h3>${name} <span class="badge ${TONES[state] ?? ''}">${enumText(state)}</span></h3>
      ${progress(operation)}
      <p class="muted">Started ${formatInstant(startedAt)}.${finishedAt !== null && html` Ended ${formatInstant(finishedAt)}.`} <span class="id">${id}</span></p>
      ${lastError !== null && html`<p class="warning">The last step failed: ${lastError}</p>`}
    </div>
    ${principal.grants.includes('owner') && state === 'RUNNING' && button('cancel', 'Cancel')}
    ${principal.grants.includes('owner') && (state === 'CANCELLED' || state === 'FAILED') && button('resume', 'Resume')}
  </li>`;
  })}
</ul>`;
}

function progress({ kind, state, done, total }: LongOperation): Html {
  const [name, things] = KINDS[kind] ?? [kind, 'steps'];
  if (total === null || total === 0 || state === 'FINISHED') return html`<p>${formatCount(done)} ${things}</p>`;
  return html`<p><progress value="${Math.min(done, total)}" max="${total}" aria-label="${name}"></progress> ${formatCount(done)} of ${formatCount(total)} ${things}</p>`;
}
