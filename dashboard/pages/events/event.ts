/** `/events/{id}`: one event, its status, and the explanation of its cost: card, version, context, and every step. */
import type { OrganizationId } from '#kernel/ids.ts';
import { groupedDigits, usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { endUserId } from '#kernel/end-user-id.ts';
import { printExactJson } from '#kernel/json/exact-json.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { sessionPath } from '../../figures/cost-address.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { type Content, html, type Html } from '../../shell/html.ts';
import { STATUSES } from './event-address.ts';

const EVENT = graphql(`query EventPage($id: ID!) {
  usageEvent(eventId: $id) {
    eventId idempotencyKey livemode status eventTimestamp receivedAt modelSent providerSent modelSlug providerSlug inputTokens outputTokens
    totalCost reading reason agentId spanId metadata
    endUser { externalId name } session { sessionId } apiKey { id }
    explanation {
      entries {
        sequence recordedAt cause totalCost modelSlug rateCardId rateCardVersionId tierAbove matchRule tokenReading reading
        pricingContext unknownContext
        lines { class quantity rate per cost why model }
      }
    }
  }
  apiKeys { id name }
}`);

type Event = DataOf<'EventPage'>['usageEvent'];
type Entry = Event['explanation']['entries'][number];
type Line = Entry['lines'][number];

export function eventPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get<{ Params: { id: string } }>(
    '/events/:id',
    withSession(dependencies, async (signedIn) => {
      const { principal, request } = signedIn;
      const { id } = request.params as { id: string };
      const { usageEvent: event, apiKeys } = await askGateway(dependencies.gateway, EVENT, { id }, principal);
      const keyName = apiKeys.find((key) => key.id === event.apiKey?.id)?.name;
      const body = html`
<div class="heading"><h1>Event</h1><p><a href="/events">All events</a></p></div>
<p class="lead">${verdict(event)}</p>
${facts(event, keyName, principal.organizationId)}
${event.explanation.entries.map((entry) => entrySection(entry, event))}
${event.explanation.entries.length > 1 && html`<p class="panel">${event.explanation.entries.map(({ totalCost }, index) => `${index > 0 ? ' + ' : ''}${totalCost}`)} = <b>${event.totalCost}</b> USD</p>`}
<section class="panel" aria-labelledby="metadata"><h2 id="metadata">Metadata</h2>
  <pre class="lines">${printExactJson(event.metadata)}</pre></section>`;
      return sendFramed(signedIn, { title: 'Event', body });
    }),
  );
}

function verdict({ status, totalCost, reason, modelSlug, livemode }: Event): Html {
  const test = !livemode && html` It was sent with a test key and is not counted in reports.`;
  if (totalCost === null)
    return html`No cost: ${(STATUSES[status.toLowerCase()]?.label ?? status).toLowerCase()}.${reason !== null && html` ${reason}`}${test}`;
  return html`<b>${usdText(totalCost)}</b>${modelSlug !== null && html` · <b>${modelSlug}</b>`}${test}`;
}

function facts(event: Event, keyName: string | undefined, organizationId: OrganizationId | null): Html {
  const { endUser, session, apiKey, agentId } = event;
  const filtered = (key: string, value: string, text: string) =>
    html`<a href="/events?${new URLSearchParams({ filter: `${key}:${value}` }).toString()}">${text}</a>`;
  const rows: readonly (readonly [string, Content])[] = [
    ['When', formatInstant(event.eventTimestamp)],
    ['Received', formatInstant(event.receivedAt)],
    ['Model as sent', event.modelSent],
    ['Provider', event.providerSlug ?? event.providerSent ?? 'not sent'],
    [
      'Customer',
      endUser === null || organizationId === null
        ? '–'
        : html`<a href="/customers/${endUserId(organizationId, endUser.externalId)}">${endUser.name}</a>${endUser.name !== endUser.externalId && html` <span class="muted">${endUser.externalId}</span>`}`,
    ],
    ['Agent', agentId === null ? '–' : filtered('agent', agentId, agentId)],
    ['Session', session === null ? '–' : html`<a href="${sessionPath(session.sessionId)}">${session.sessionId}</a>`],
    [
      'Sent with',
      apiKey === null
        ? 'not recorded'
        : html`${filtered('key', apiKey.id, keyName ?? apiKey.id)}${keyName !== undefined && html` <span class="id">${apiKey.id}</span>`}`,
    ],
    ['Tokens as sent', `${formatCount(event.inputTokens)} in, ${formatCount(event.outputTokens)} out`],
    ['Total', event.totalCost === null ? '–' : html`<b>${event.totalCost}</b> USD`],
    ['Idempotency key', html`<span class="id">${event.idempotencyKey}</span>`],
    ['ID', html`<span class="id">${event.eventId}</span>`],
  ];
  return html`
<section class="panel" aria-labelledby="facts"><h2 id="facts">Event as sent</h2>
  <dl class="sheet">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/** Describes how the model was matched. For an exact match, the rule's own text would repeat the name. */
function matchOf(rule: string, modelSent: string): string {
  return rule === `matched "${modelSent}" as sent` ? `exact match: ${modelSent}` : `${rule} for ${modelSent}`;
}

const CAUSES: Readonly<Record<string, string>> = {
  PRICED: 'How this was priced',
  REPRICED: 'A repricing',
  REVERTED: 'Reverted repricing',
};

function entrySection(entry: Entry, { modelSent }: Event): Html {
  const id = `entry-${entry.sequence}`;
  const steps: readonly (readonly [string, Content])[] = [
    [
      'Rate card',
      entry.rateCardId === null
        ? 'none: the sender stated the cost'
        : html`<a href="/rates/cards/${entry.rateCardId}">${entry.modelSlug}</a>`,
    ],
    ['Matched by', entry.matchRule === null ? '–' : matchOf(entry.matchRule, modelSent)],
    ['Version', entry.rateCardVersionId === null ? '–' : html`<span class="id">${entry.rateCardVersionId}</span>`],
    ['Tier', entry.tierAbove === null ? 'the base rates' : `above ${formatCount(entry.tierAbove)} input tokens`],
    ['Context', entry.pricingContext === '' ? 'standard' : entry.pricingContext],
    ...(entry.unknownContext === null
      ? []
      : [['Ignored context', `${entry.unknownContext}: the card has no price for it`] as const]),
    ['Counts read as', entry.reading ?? '–'],
    ['Tokens read', entry.tokenReading ?? '–'],
  ];
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${CAUSES[entry.cause] ?? entry.cause}, ${formatInstant(entry.recordedAt)}</h2>
  <dl class="sheet">${steps.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table class="fold">
    <thead><tr><th scope="col">Class</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Rate, USD</th><th scope="col" class="number">Cost, USD</th><th scope="col">Why this rate</th></tr></thead>
    <tbody>${entry.lines.map(line)}</tbody>
    <tfoot><tr><th scope="row" colspan="3">Total</th><td class="number" data-label="Cost">${entry.totalCost}</td><td></td></tr></tfoot>
  </table></div>
</section>`;
}

function line({ class: item, quantity, rate, per, cost, why, model }: Line): Html {
  const unit = per === 'unit' ? 'per unit' : 'per million';
  return html`
    <tr><th scope="row">${item.replaceAll('_', ' ')}${model !== null && html` <span class="muted">${model}</span>`}</th>
      <td class="number" data-label="Quantity">${quantity === null ? '–' : groupedDigits(quantity)}</td><td class="number" data-label="Rate">${rate === null ? '–' : `${rate} ${unit}`}</td>
      <td class="number" data-label="Cost">${cost}</td><td data-label="Why">${why ?? 'from the rate card'}</td></tr>`;
}
