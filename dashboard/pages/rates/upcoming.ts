/** `/rates/upcoming`: announced price changes of the coming year, models in use first. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { ratesHeading } from './rates-tabs.ts';

const UPCOMING = graphql(`query UpcomingRates {
  upcomingRateChanges { modelSlug providerSlug rateCardId effectiveFrom eventCount costBefore costAfter difference }
}`);

type Change = DataOf<'UpcomingRates'>['upcomingRateChanges'][number];

const PATH = '/rates/upcoming';

export function upcomingRatesPage(pages: FastifyInstance, { gateway, ...dependencies }: Dependencies): void {
  pages.get(
    PATH,
    withSession({ gateway, ...dependencies }, async (signedIn) => {
      const { upcomingRateChanges: changes } = await askGateway(gateway, UPCOMING, {}, signedIn.principal);
      const used = changes.filter(({ eventCount }) => eventCount > 0);
      const unused = changes.filter(({ eventCount }) => eventCount === 0);
      const body = html`
${ratesHeading('Upcoming price changes', PATH)}
${
  changes.length === 0
    ? html`<p class="panel empty">No price changes are announced for the coming year.</p>`
    : html`<p class="lead">Announced price changes of the coming year, with their monthly effect at the usage of the last 30 days.</p>
${used.length === 0 ? html`<p class="panel empty">No price changes are announced for the models that you used in the last 30 days.</p>` : usedTable(used)}
${unused.length > 0 && html`<details class="panel"><summary>Models without events in the last 30 days (${formatCount(unused.length)})</summary>${unusedTable(unused)}</details>`}`
}`;
      return sendFramed(signedIn, { title: 'Upcoming price changes', body });
    }),
  );
}

function usedTable(changes: readonly Change[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Models in use"><table class="fold">
  <thead><tr><th scope="col">Model</th><th scope="col">From</th><th scope="col" class="number">Events</th><th scope="col" class="number">Now</th><th scope="col" class="number">Then</th><th scope="col" class="number">Difference</th></tr></thead>
  <tbody>${changes.map(
    (change) => html`
    <tr>${modelCells(change)}<td class="number" data-label="Events">${formatCount(change.eventCount)}</td>
      <td class="number" data-label="Now">${usdText(change.costBefore)}</td><td class="number" data-label="Then">${usdText(change.costAfter)}</td><td class="number" data-label="Difference">${usdText(change.difference)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function unusedTable(changes: readonly Change[]): Html {
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="Models without events"><table class="fold">
  <thead><tr><th scope="col">Model</th><th scope="col">From</th></tr></thead>
  <tbody>${changes.map((change) => html`<tr>${modelCells(change)}</tr>`)}</tbody>
</table></div>`;
}

function modelCells({ rateCardId, modelSlug, providerSlug, effectiveFrom }: Change): Html {
  return html`<th scope="row" class="name"><a href="/rates/cards/${rateCardId}">${modelSlug}</a> <span class="muted">${providerSlug ?? 'any provider'}</span></th>
      <td data-label="From">${formatDate(effectiveFrom)}</td>`;
}
