/** Overview panels: open alerts, including muted ones, and the few most important insights of today. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { formatCount, withUnbrokenAmounts } from './amount.ts';
import { formatDate } from './instant.ts';

const OPEN = graphql(`query OpenAlerts($first: Int!) {
  alertEpisodes(state: OPEN, first: $first) {
    nodes { id sentence severity groupName openedAt acknowledgedAt rule { name isMuted } } totalCount
  }
}`);
const INSIGHTS = graphql(`query OverviewInsights($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) { insights(first: $first) { kind sentence path } }
}`);

export interface AlertFigures {
  readonly open: DataOf<'OpenAlerts'>['alertEpisodes'] | null;
  readonly insights: DataOf<'OverviewInsights'>['window']['insights'];
}

const LISTED_MAX = 5;
/**
 * Number of insights. It is lower than that of alerts, because explaining a change takes longer than all other figures
 * of the page.
 */
const INSIGHTS_MAX = 3;

/** Unavailable figures are left out. */
export async function getAlertFigures(
  gateway: GatewayClient,
  principal: Principal,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<AlertFigures> {
  const [open, insights] = await Promise.all([
    outcomeOf(askGateway(gateway, OPEN, { first: LISTED_MAX }, principal), []),
    outcomeOf(askGateway(gateway, INSIGHTS, { start, end, first: INSIGHTS_MAX }, principal), []),
  ]);
  return { open: open.value?.alertEpisodes ?? null, insights: insights.value?.window.insights ?? [] };
}

export function openAlerts({ open }: AlertFigures): Html | false {
  if (open === null || open.totalCount === 0) return false;
  const others = open.totalCount - open.nodes.length;
  return html`
<section class="panel hurts" aria-labelledby="alerts"><h2 id="alerts"><a href="/alerts">${open.totalCount === 1 ? '1 open alert' : `${formatCount(open.totalCount)} open alerts`}</a></h2><ul class="lines">${open.nodes.map(
    ({ id, sentence, severity, groupName, openedAt, acknowledgedAt, rule }) => html`
  <li><a href="/alerts/episodes/${id}"><b>${rule?.name}${groupName !== null && html`: ${groupName}`}</b></a>${severity === 'CRITICAL' && html` <span class="badge bad">critical</span>`}${rule?.isMuted === true && html` <span class="badge">muted</span>`}${acknowledgedAt !== null && html` <span class="badge good">acknowledged</span>`} <span class="muted">${formatDate(openedAt)}</span> <span class="sentence">${sentence}</span></li>`,
  )}${others > 0 && html`<li><a href="/alerts">${formatCount(others)} more ${others === 1 ? 'alert' : 'alerts'}</a></li>`}</ul></section>`;
}

export function insightPanel({ insights }: AlertFigures): Html | false {
  return (
    insights.length > 0 &&
    html`
<section class="panel" aria-labelledby="insights"><h2 id="insights">Insights</h2><ul>${insights.map(
      ({ sentence, path }) =>
        html`<li>${withUnbrokenAmounts(sentence)} <a href="${path}">See why<span class="unseen">: ${sentence}</span></a></li>`,
    )}</ul></section>`
  );
}
