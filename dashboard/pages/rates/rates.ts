/** `/rates`: current prices of models; `/rates/cards/{id}`: one rate card with its past, current and future prices. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatDate, formatInstant } from '../../figures/instant.ts';
import { priceLabel } from '../../figures/warnings.ts';
import { sendRatesCsv } from './rates-csv.ts';
import { ratesHeading } from './rates-tabs.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { type Content, html, type Html } from '../../shell/html.ts';

const RATES = graphql(`query RatesPage($filter: RateCardFilter, $first: Int!, $after: String) {
  rateCards(filter: $filter, first: $first, after: $after) {
    nodes {
      rateCardId modelSlug providerSlug isNegotiated isPrefix
      inForce { effectiveFrom unit prices { name price } tiers { aboveInputTokens } contexts { context } }
      versions { id }
    }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
  costingHealth { unpriced { cause events } }
  catalogue { source publishedAt ageDays }
}`);
const CARD = graphql(`query RateCardPage($id: ID!) {
  rateCard(rateCardId: $id) {
    rateCardId modelSlug providerSlug isNegotiated isPrefix names
    inForce { id }
    versions {
      id effectiveFrom effectiveTo unit prices { name price } tiers { aboveInputTokens prices { name price } }
      contexts { context class aboveInputTokens rate factor source }
    }
  }
}`);

type Cards = DataOf<'RatesPage'>['rateCards'];
type ListedCard = Cards['nodes'][number];
type Card = DataOf<'RateCardPage'>['rateCard'];
type Version = Card['versions'][number];

const PAGE = 50;

export function ratesPages(pages: FastifyInstance, { gateway, ...dependencies }: Dependencies): void {
  pages.get(
    '/rates',
    withSession({ gateway, ...dependencies }, async (signedIn) => {
      const query = queryOf(signedIn.request);
      const filter = filterOf(query);
      const { search = '', provider = '', isNegotiated = false } = filter;
      const after = query.get('after') || null;
      const { value, error } = await outcomeOf(
        askGateway(gateway, RATES, { filter, first: PAGE, after }, signedIn.principal),
      );
      const pathOf = (more: Record<string, string> = {}, path = '/rates') => {
        const chosen = {
          ...(search ? { search } : {}),
          ...(provider ? { provider } : {}),
          ...(isNegotiated ? { own: 'yes' } : {}),
        };
        return `${path}?${new URLSearchParams({ ...chosen, ...more }).toString()}`;
      };
      const body = html`
${ratesHeading('Rates', '/rates')}
${value?.catalogue && catalogueAge(value.catalogue)}
${value && waiting(signedIn.principal, value.costingHealth.unpriced)}
<form class="panel inline" method="get" action="/rates" role="search" aria-label="Models">
  <label>Model <input name="search" value="${search}" maxlength="255" autocomplete="off"></label>
  <label>Provider <input name="provider" value="${provider}" maxlength="255" autocomplete="off"></label>
  <label><input type="checkbox" name="own" value="yes"${isNegotiated && html` checked`}> Custom rates only</label>
  <button class="secondary">Show</button>
</form>
${error ? html`<p class="alert" role="alert">${error.message}</p>` : cardList(value.rateCards, { isFirst: after === null, pathOf, csvPath: pathOf({}, '/rates.csv') })}`;
      return sendFramed(signedIn, { title: 'Rates', body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    '/rates.csv',
    withSession({ gateway, ...dependencies }, async ({ request, reply, principal }) =>
      sendRatesCsv(reply, { gateway, principal, filter: filterOf(queryOf(request)) }),
    ),
  );

  pages.get<{ Params: { id: string } }>(
    '/rates/cards/:id',
    withSession({ gateway, ...dependencies }, async (signedIn) => {
      const { id } = signedIn.request.params as { id: string };
      const { rateCard } = await askGateway(gateway, CARD, { id }, signedIn.principal);
      return sendFramed(signedIn, { title: rateCard.modelSlug, body: cardPage(rateCard) });
    }),
  );
}

function filterOf(query: URLSearchParams) {
  const [search, provider] = ['search', 'provider'].map((name) => query.get(name)?.trim());
  return {
    ...(search ? { search } : {}),
    ...(provider ? { provider } : {}),
    ...(query.get('own') === 'yes' ? { isNegotiated: true } : {}),
  };
}

const OLD_DAYS = 14;

function catalogueAge({ source, publishedAt, ageDays }: NonNullable<DataOf<'RatesPage'>['catalogue']>): Html {
  return html`<p class="${ageDays > OLD_DAYS ? 'panel warnings' : 'muted'}">Catalogue prices of ${formatDate(publishedAt)}, ${formatCount(ageDays)} ${ageDays === 1 ? 'day' : 'days'} old (${source}).</p>`;
}

/** Link to the models that wait for a price. */
function waiting(principal: Principal, unpriced: DataOf<'RatesPage'>['costingHealth']['unpriced']): Html | false {
  const events = unpriced.filter(({ cause }) => cause !== 'FAILED').reduce((sum, group) => sum + group.events, 0);
  return (
    events > 0 &&
    html`<p class="panel warnings">${events === 1 ? '1 event is' : `${formatCount(events)} events are`} waiting for a price. <a href="/rates/waiting">${priceLabel(principal)}</a></p>`
  );
}

function cardList(
  { nodes, pageInfo, totalCount }: Cards,
  {
    isFirst,
    pathOf,
    csvPath,
  }: {
    readonly isFirst: boolean;
    readonly pathOf: (more?: Record<string, string>) => string;
    readonly csvPath: string;
  },
): Html {
  return html`
<section class="panel" aria-labelledby="cards"><div class="heading"><h2 id="cards">Current prices</h2><a href="${csvPath}" download>CSV</a></div>
<p class="muted">${formatCount(totalCount)} ${totalCount === 1 ? 'rate card' : 'rate cards'}. USD per million tokens unless noted.</p>
${nodes.length > 0 && cardTable(nodes)}
<p class="pages">${!isFirst && html`<a href="${pathOf()}">First page</a> `}${pageInfo.hasNextPage && html`<a href="${pathOf({ after: pageInfo.endCursor ?? '' })}" rel="next">Next page</a>`}</p>
</section>`;
}

/** Classes that most cards have; the others share one column. */
const COLUMNS = ['input', 'output', 'cache_read'] as const;

function cardTable(cards: readonly ListedCard[]): Html {
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="cards"><table class="fold">
  <thead><tr><th scope="col">Model</th><th scope="col" class="number">Input</th><th scope="col" class="number">Output</th><th scope="col" class="number">Cache read</th><th scope="col">Other rates</th><th scope="col">Since</th><th scope="col" class="number">Versions</th></tr></thead>
  <tbody>${cards.map(
    (card) => html`
    <tr><th scope="row" class="name"><a href="/rates/cards/${card.rateCardId}">${card.modelSlug}${card.isPrefix && html`<span class="muted">…</span>`}</a> ${card.isNegotiated && html`<span class="badge good">custom</span>`} <span class="muted">${card.providerSlug ?? 'any provider'}</span></th>
      ${COLUMNS.map((name) => html`<td class="number" data-label="${title(name)}">${priceOf(card, name) ?? '–'}</td>`)}
      <td data-label="Other rates">${besides(card)}</td><td data-label="Since">${card.inForce === null ? 'not in force' : card.inForce.effectiveFrom === null ? 'always' : formatInstant(card.inForce.effectiveFrom)}</td>
      <td class="number" data-label="Versions">${formatCount(card.versions.length)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function priceOf({ inForce }: ListedCard, wanted: string): string | undefined {
  return inForce?.prices.find(({ name }) => name === wanted)?.price;
}

function besides({ inForce }: ListedCard): Content {
  if (inForce === null) return '';
  const others = inForce.prices.filter(({ name }) => !COLUMNS.some((column) => column === name));
  const contexts = new Set(inForce.contexts.map(({ context }) => context));
  return [
    ...others
      .slice(0, 3)
      .map(({ name, price }) => `${title(name)} ${price}${name === 'unit' ? ` ${inForce.unit}` : ''}`),
    ...(others.length > 3 ? [`${others.length - 3} more`] : []),
    ...inForce.tiers.map(({ aboveInputTokens }) => `other rates above ${formatCount(aboveInputTokens)}`),
    ...(contexts.size > 0 ? [`${contexts.size} ${contexts.size === 1 ? 'context' : 'contexts'}`] : []),
  ].join(', ');
}

function cardPage({
  modelSlug,
  providerSlug,
  isNegotiated,
  isPrefix,
  names,
  versions,
  inForce,
  rateCardId: id,
}: Card): Html {
  return html`
${ratesHeading(modelSlug, '/rates')}
<p class="lead">${isNegotiated ? html`<span class="badge good">custom</span> Your rate` : 'List price'} for ${isPrefix ? html`models whose names start with <b>${modelSlug}</b>` : html`<b>${modelSlug}</b>`} (${providerSlug ?? 'any provider'}).
  ${inForce === null && 'None is in force now.'} <a href="/events?${new URLSearchParams({ filter: `model:${modelSlug}` }).toString()}">View events</a> <a href="/costs?${new URLSearchParams({ group: 'customer', filter: `model:${modelSlug}` }).toString()}">Costs by customer</a></p>
${names.length > 1 && html`<p class="muted">Matches the names ${names.slice(0, 20).join(', ')}${names.length > 20 && ` and ${names.length - 20} more`}.</p>`}
${versions.map((version, index) => versionSection(version, { isInForce: version.id === inForce?.id, before: versions[index + 1] }))}
<p class="muted">ID <span class="id">${id}</span></p>`;
}

function versionSection(
  { id, effectiveFrom, effectiveTo, unit, prices, tiers, contexts }: Version,
  { isInForce, before }: { readonly isInForce: boolean; readonly before: Version | undefined },
): Html {
  const was = new Map(before?.prices.map(({ name, price }) => [name, price]));
  const gone = before?.prices.filter(({ name }) => !prices.some((one) => one.name === name)) ?? [];
  const heading = `version-${id}`;
  const row = (name: string, price: string, note: Content) =>
    html`<tr><th scope="row">${name}</th><td class="number" data-label="USD">${price}</td><td data-label="Change or source">${note}</td></tr>`;
  return html`
<section class="panel" aria-labelledby="${heading}"><h2 id="${heading}">${effectiveFrom === null ? 'Always' : html`Since ${formatInstant(effectiveFrom)}`}${effectiveTo !== null && html` until ${formatInstant(effectiveTo)}`} ${isInForce && html`<span class="badge good">in force</span>`}</h2>
  <p class="muted">USD ${unit} unless the name is a unit. Version <span class="id">${id}</span></p>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${heading}"><table class="fold">
    <thead><tr><th scope="col">For</th><th scope="col" class="number">USD</th><th scope="col">Change or source</th></tr></thead>
    <tbody>
    ${prices.map(({ name, price }) => row(title(name), price, before && changeOf(price, was.get(name))))}
    ${gone.map(({ name, price }) => row(title(name), '–', `was ${price}`))}
    ${tiers.map((tier) => tier.prices.map(({ name, price }) => row(`${title(name)}, above ${formatCount(tier.aboveInputTokens)} input tokens`, price, '')))}
    ${contexts.map(({ context, class: item, aboveInputTokens, rate, factor, source }) => row(`${title(item)}, ${context}${aboveInputTokens > 0 ? `, above ${formatCount(aboveInputTokens)}` : ''}`, rate ?? `× ${factor}`, source))}
    </tbody>
  </table></div>
</section>`;
}

function changeOf(price: string, was: string | undefined): Content {
  if (was === undefined) return 'new';
  return was === price ? html`<span class="muted">unchanged</span>` : `was ${was}`;
}

function title(name: string): string {
  return name.replaceAll('_', ' ');
}
