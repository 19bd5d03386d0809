/** `/what-if`: simulated costs with another model, another rate, or other shares of cached input and of batches. */
import type { FastifyInstance } from 'fastify';
import { plain, quantity } from '#kernel/money.ts';
import { nearestText } from '#kernel/nearest-text.ts';
import { now } from '#platform/clock.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { filterValues } from '../../figures/filter-values.ts';
import { windowChoice } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { field, queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { suggestions } from './suggestions.ts';
import { addressOf, whatIfHeading, windowFields } from './what-if-heading.ts';
import { result, type Simulated } from './simulated-costs.ts';

const MODELS = graphql(`query WhatIfModels($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { costsByModel { items { modelSlug totalCost eventCount inputTokens } } }
}`);

const KNOWN_MODELS = graphql(
  `query WhatIfKnownModels($search: String!) { rateCards(filter: { search: $search }, first: 200) { nodes { modelSlug } } }`,
);
const SIMULATION = graphql(`query WhatIfCosts(
  $start: Instant!, $end: Instant!, $changes: [SimulatedChange!]!, $first: Int!, $after: String
) {
  window(start: $start, end: $end) {
    simulateCosts(changes: $changes, first: $first, after: $after) {
      total { before after { low expected high } difference { low expected high } isRange percent }
      unassigned { before after { low expected high } difference { low expected high } isRange percent }
      endUsers {
        totalCount pageInfo { hasNextPage endCursor }
        nodes {
          endUser { endUserId externalId name }
          before after { low expected high } difference { low expected high } isRange percent
        }
      }
      notCovered { reason detail modelSlug eventCount cost }
      tokenizers { model byModel low expected high source }
    }
  }
}`);

type Models = DataOf<'WhatIfModels'>['window']['costsByModel']['items'];
type Change = Extract<VariablesOf<'WhatIfCosts'>['changes'], readonly unknown[]>[number];

const PAGE = 100;
/** Rows per request: many, because reading a page repeats the whole simulation. */
const CSV_PAGE = 5_000;
const CSV_HEAD = [
  'customer',
  'before_usd',
  ...['after', 'difference'].flatMap((name) => ['low', 'expected', 'high'].map((end) => `${name}_${end}_usd`)),
  'percent',
];

const CLASSES = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cache_read', 'Cache read'],
  ['cache_creation', 'Cache write'],
  ['reasoning', 'Reasoning'],
] as const;

export function whatIfPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/what-if',
    withSession(dependencies, async (signedIn) => {
      const { gateway } = dependencies;
      const query = periodQuery(dependencies, signedIn);
      const window = windowChoice(query, now());
      const { start, end } = window;
      const models = await askGateway(gateway, MODELS, { start, end }, signedIn.principal);
      const changes = changesOf(query);
      const outcome =
        typeof changes === 'string' || changes.length === 0
          ? null
          : await outcomeOf(
              askGateway(
                gateway,
                SIMULATION,
                { start, end, changes, first: PAGE, after: field(query, 'after') || null },
                signedIn.principal,
              ),
            );
      const error = typeof changes === 'string' ? changes : (outcome?.error?.message ?? null);
      const simulated = outcome?.value?.window.simulateCosts ?? null;
      const meant = error === null ? null : await modelLike(gateway, signedIn.principal, field(query, 'by'));
      const isUntouched = typeof changes !== 'string' && changes.length === 0;
      const offered =
        isUntouched && (await suggestions(gateway, signedIn.principal, models.window.costsByModel.items, query));
      const body = html`
${whatIfHeading('/what-if', window, query)}
${meant !== null && html`<p class="notice">Did you mean <a href="${addressOf('/what-if', query, { by: meant, after: null })}">${meant}</a>?</p>`}
<p class="lead">Recalculate this period’s calls with another model or price. Nothing is changed or stored.</p>
${offered}
${form(models.window.costsByModel.items, query, windowFields(window))}
${simulated && result(simulated, query)}`;
      return sendFramed(signedIn, { title: 'What if', body, error });
    }),
  );

  pages.get(
    '/what-if.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const query = queryOf(request);
      const { start, end, from, to } = windowChoice(query, now());
      const changes = changesOf(query);
      if (typeof changes === 'string') fail('VALIDATION_ERROR', changes);
      const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
        for (let after: string | null = null, isLast = false; !isLast;) {
          const variables: VariablesOf<'WhatIfCosts'> = { start, end, changes, first: CSV_PAGE, after };
          const data: DataOf<'WhatIfCosts'> = await askGateway(dependencies.gateway, SIMULATION, variables, principal);
          const { endUsers, unassigned } = data.window.simulateCosts;
          after = endUsers.pageInfo.endCursor;
          isLast = !endUsers.pageInfo.hasNextPage;
          const listed = endUsers.nodes.map((node) => csvRow(node.endUser.externalId, node));
          yield isLast && unassigned.before !== '0' ? [...listed, csvRow('', unassigned)] : listed;
        }
      };
      return sendCsv(reply, `what-if-${from}-${to}`, CSV_HEAD, rows());
    }),
  );
}

/** A known model whose name contains or resembles what was typed. */
async function modelLike(gateway: GatewayClient, principal: Principal, typed: string): Promise<string | null> {
  if (typed === '') return null;
  // The list is searched by the first word, so that a typing error later in the name does not matter.
  const search = /^[a-z]{3,}/i.exec(typed)?.[0] ?? typed;
  const { value } = await outcomeOf(askGateway(gateway, KNOWN_MODELS, { search }, principal), []);
  return nearestText(
    typed,
    (value?.rateCards.nodes ?? []).map(({ modelSlug }) => modelSlug),
  );
}

/** Rows without a customer have an empty name. */
function csvRow(customer: string, { before, after, difference, percent }: Simulated): CsvRow {
  const amounts = [after, difference].flatMap(({ low, expected, high }) => [low, expected, high]);
  return [customer, before, ...amounts, percent];
}

function form(models: Models, query: URLSearchParams, window: readonly Html[]): Html {
  if (models.length === 0) return html`<p class="panel empty">No costs in this period.</p>`;
  const slugs = [...new Set(models.map(({ modelSlug }) => modelSlug))];
  const typed = (name: string) => field(query, name);
  const chosen = (name: string, value: string) => typed(name) === value && html` selected`;
  const modelOptions = (name: string) =>
    slugs.map((slug) => html`<option value="${slug}"${chosen(name, slug)}>${slug}</option>`);
  return html`
<form class="panel stack" method="get" action="/what-if">${window}${filterValues(slugs)}
  <div class="fields">
    <label>Model<select name="model"><option value="">All models</option>${modelOptions('model')}</select></label>
    <label>Replaced by<input name="by" value="${typed('by')}" list="filter-values" placeholder="gpt-4o-mini" maxlength="200" autocomplete="off" spellcheck="false"></label>
    <label>Cached input (%)<input name="cached" value="${typed('cached')}" inputmode="decimal" maxlength="12" autocomplete="off"></label>
    <label>Batched (%)<input name="batch" value="${typed('batch')}" inputmode="decimal" maxlength="12" autocomplete="off"></label>
  </div>
  <details${(typed('rateModel') !== '' || typed('amount') !== '') && html` open`}><summary>Custom price</summary>
    <div class="fields">
      <label>Model<select name="rateModel"><option value="">None</option>${modelOptions('rateModel')}</select></label>
      <label>Token class<select name="class">${CLASSES.map(([value, label]) => html`<option value="${value}"${chosen('class', value)}>${label}</option>`)}</select></label>
      <label>USD per million tokens<input name="amount" value="${typed('amount')}" inputmode="decimal" maxlength="24" autocomplete="off"></label>
    </div>
  </details>
  <div><button>Calculate cost</button></div>
</form>`;
}

const AMOUNT = /^\d{1,7}(\.\d{1,9})?$/;
const PERCENT = /^\d{1,3}(\.\d{1,4})?$/;

/** Returns an error message if the form is invalid. */
function changesOf(query: URLSearchParams): readonly Change[] | string {
  const typed = (name: string) => field(query, name);
  const [model, byModel, rateModel, amount] = [typed('model'), typed('by'), typed('rateModel'), typed('amount')];
  if (byModel !== '' && model === '') return 'Choose the model to replace';
  if ((rateModel === '') !== (amount === '')) return 'A custom price requires a model and an amount';
  if (amount !== '' && !AMOUNT.test(amount)) return 'Enter a rate in dollars, for example 2.50';
  const shares = { cached: typed('cached'), batch: typed('batch') };
  for (const share of Object.values(shares))
    if (share !== '' && !(PERCENT.test(share) && quantity(share).lte(100)))
      return 'Enter a share from 0 to 100 percent';
  const about = byModel || model || null;
  const shareOf = (percent: string) => ({ model: about, share: plain(quantity(percent).div(100)) });
  return [
    ...(byModel === '' ? [] : [{ replace: { model, byModel } }]),
    ...(amount === '' ? [] : [{ rate: { model: rateModel, tokenClass: typed('class') || 'input', amount } }]),
    ...(shares.cached === '' ? [] : [{ cachedShare: shareOf(shares.cached) }]),
    ...(shares.batch === '' ? [] : [{ batchShare: shareOf(shares.batch) }]),
  ];
}
