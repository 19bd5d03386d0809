/** `/costs/keys`: costs by API key. Only the ledger stores keys, so there are no other groupings or filters. */
import { amount } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { exactAmount, formatCount, formatPercent } from '../../figures/amount.ts';
import { listApiKeys } from '../../figures/api-key.ts';
import { keyCostsPath } from '../../figures/cost-address.ts';
import { GROUP_NAMES, groupLabel, KEY_GROUP } from '../../figures/cost-keys.ts';
import { ROUNDING, roundingOf, shownAmount } from '../../figures/shown-parts.ts';
import { shareBar } from '../../figures/tables.ts';
import { type WindowChoice, windowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { periodQuery } from '../../http/period-query.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { eventPath } from '../events/event-address.ts';

const KEYS = graphql(`query KeyCosts($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    costsByApiKey(first: $first, after: $after) {
      nodes { apiKey { id } totalCost eventCount percentOfTotal } totalCount totalCost pageInfo { hasNextPage endCursor }
    }
  }
}`);

type KeyCosts = DataOf<'KeyCosts'>['window']['costsByApiKey'];

const ROWS = 100;
const CSV_PAGE = 1_000;

export function keyCostsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/costs/keys',
    withSession(dependencies, async (signedIn) => {
      const { principal } = signedIn;
      const window = windowChoice(periodQuery(dependencies, signedIn), now());
      const { start, end } = window;
      const [{ value, error }, names] = await Promise.all([
        outcomeOf(askGateway(gateway, KEYS, { start, end, first: ROWS, after: null }, principal), []),
        keyNames(gateway, principal),
      ]);
      const body = html`
<div class="heading"><h1>Costs</h1>
  ${windowLinks(window, '/costs/keys')}
</div>
${grouping(window)}
<section class="panel" aria-labelledby="groups"><div class="heading"><h2 id="groups">By API key</h2><p><a href="${keyCostsPath(window, '/costs/keys.csv')}" download>CSV</a></p></div>
${error ? html`<p class="alert" role="alert">${error.message}</p>` : table(value.window.costsByApiKey, names, window)}</section>`;
      return sendFramed(signedIn, { title: 'Costs by API key', body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    '/costs/keys.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const { start, end, from, to } = windowChoice(queryOf(request), now());
      const names = await keyNames(gateway, principal);
      const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
        for (let after: string | null = null, isLast = false; !isLast;) {
          const variables: VariablesOf<'KeyCosts'> = { start, end, first: CSV_PAGE, after };
          const { window }: DataOf<'KeyCosts'> = await askGateway(gateway, KEYS, variables, principal);
          const { nodes, pageInfo } = window.costsByApiKey;
          yield nodes.map(({ apiKey, totalCost, eventCount }) => [
            apiKey?.id ?? '',
            (apiKey && names.get(apiKey.id)) ?? '',
            totalCost,
            eventCount,
          ]);
          after = pageInfo.endCursor;
          isLast = !pageInfo.hasNextPage;
        }
      };
      return sendCsv(reply, `costs-by-key-${from}-${to}`, ['api_key_id', 'name', 'cost_usd', 'events'], rows());
    }),
  );
}

/** Names of the keys that the person may see. */
async function keyNames(gateway: GatewayClient, principal: Principal): Promise<ReadonlyMap<string, string>> {
  const { value } = await outcomeOf(listApiKeys(gateway, principal), []);
  return new Map(value?.map(({ id, name }) => [id, name]));
}

function grouping(window: WindowChoice): Html {
  return html`
<div class="panel controls">
  <form method="get" action="/costs">${windowParameters(window).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <label>Group by <select name="group">${GROUP_NAMES.map((name) => html`<option value="${name}">${groupLabel(name, [])}</option>`)}<option value="${KEY_GROUP}" selected>API key</option></select></label>
    <button class="secondary">Show</button>
  </form>
</div>`;
}

function table(
  { nodes, totalCount, totalCost }: KeyCosts,
  names: ReadonlyMap<string, string>,
  window: WindowChoice,
): Html {
  if (nodes.length === 0) return html`<p class="muted">No costs in this period.</p>`;
  const rounding = roundingOf(
    amount(totalCost),
    nodes.map((node) => amount(node.totalCost)),
  ).shown;
  return html`
<p class="lead">${window.label}: ${usdText(totalCost)}. Each key links to its events, highest cost first.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="groups"><table class="fold">
  <thead><tr><th scope="col">API key</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Share</th><th scope="col" class="number">Events</th></tr></thead>
  <tbody>${nodes.map(
    ({ apiKey, totalCost: cost, eventCount, percentOfTotal }) => html`
    <tr><th scope="row" class="name">${keyLink(apiKey, names, window)}</th><td class="number" data-label="Cost">${exactAmount(cost)}</td><td class="number" data-label="Share">${formatPercent(percentOfTotal)}${shareBar(percentOfTotal)}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td></tr>`,
  )}
  ${rounding !== 0n && html`<tr class="rounding"><th scope="row">${ROUNDING}</th><td class="number" data-label="Cost">${shownAmount(0n, rounding)}</td><td></td><td></td></tr>`}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number" data-label="Cost">${exactAmount(totalCost)}</td><td></td><td></td></tr></tfoot>
</table></div>
${nodes.length < totalCount && html`<p class="muted">Top ${formatCount(nodes.length)} of ${formatCount(totalCount)}. The CSV file has all of them.</p>`}`;
}

function keyLink(
  apiKey: KeyCosts['nodes'][number]['apiKey'],
  names: ReadonlyMap<string, string>,
  window: WindowChoice,
): Html {
  if (apiKey === null) return html`<span class="muted">Events without a recorded API key</span>`;
  const events = { window, filters: [{ key: KEY_GROUP, value: apiKey.id }], isByCost: true, after: null };
  return html`<a href="${eventPath(events)}">${names.get(apiKey.id) ?? apiKey.id}</a>`;
}
