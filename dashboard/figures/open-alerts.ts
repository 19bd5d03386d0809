/** Overview panel: open alerts, including muted ones. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { formatCount } from './amount.ts';
import { formatDate } from './instant.ts';

const OPEN = graphql(`query OpenAlerts($first: Int!) {
  alertEpisodes(state: OPEN, first: $first) {
    nodes { id sentence severity groupName openedAt acknowledgedAt rule { name isMuted } } totalCount
  }
}`);

export type OpenAlerts = DataOf<'OpenAlerts'>['alertEpisodes'];

const LISTED_MAX = 5;

/** Null if they are unavailable. */
export async function getOpenAlerts(gateway: GatewayClient, principal: Principal): Promise<OpenAlerts | null> {
  const { value } = await outcomeOf(askGateway(gateway, OPEN, { first: LISTED_MAX }, principal), []);
  return value?.alertEpisodes ?? null;
}

export function openAlerts(open: OpenAlerts | null): Html | false {
  if (open === null || open.totalCount === 0) return false;
  const others = open.totalCount - open.nodes.length;
  return html`
<section class="panel hurts" aria-labelledby="alerts"><h2 id="alerts"><a href="/alerts">${open.totalCount === 1 ? '1 open alert' : `${formatCount(open.totalCount)} open alerts`}</a></h2><ul class="lines">${open.nodes.map(
    ({ id, sentence, severity, groupName, openedAt, acknowledgedAt, rule }) => html`
  <li><a href="/alerts/episodes/${id}"><b>${rule?.name}${groupName !== null && html`: ${groupName}`}</b></a>${severity === 'CRITICAL' && html` <span class="badge bad">critical</span>`}${rule?.isMuted === true && html` <span class="badge">muted</span>`}${acknowledgedAt !== null && html` <span class="badge good">acknowledged</span>`} <span class="muted">${formatDate(openedAt)}</span> <span class="sentence">${sentence}</span></li>`,
  )}${others > 0 && html`<li><a href="/alerts">${formatCount(others)} more ${others === 1 ? 'alert' : 'alerts'}</a></li>`}</ul></section>`;
}
