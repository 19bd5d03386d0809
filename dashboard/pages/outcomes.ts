/** `/outcomes`: which tasks are worth their cost, and single outcomes with links to their sessions. */
import { amount, plain } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { exactAmount, exactUnitAmount, formatCount, formatPercent } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import { ROUNDING, roundingOf, shownAmount } from '../figures/shown-parts.ts';
import { windowChoice, type WindowChoice, windowLinks, windowParameters } from '../figures/window-choice.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { periodQuery } from '../http/period-query.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { type Content, html, type Html } from '../shell/html.ts';

const CUSTOMER = graphql('query OutcomesCustomer($id: ID!) { endUser(endUserId: $id) { externalId } }');
const OUTCOMES = graphql(`query OutcomesPage(
  $start: Instant!, $end: Instant!, $groupBy: OutcomeGrouping!, $filter: OutcomeFilter, $records: OutcomeRecordFilter,
  $withRecords: Boolean!
) {
  window(start: $start, end: $end) {
    outcomes(groupBy: $groupBy, filter: $filter, first: 100) {
      nodes {
        value
        figures { count succeeded cost costPerAttempt costPerSuccess failedCost failedCostPercent value valueLessCost otherValues { currency value } }
      }
      total { count succeeded cost costPerAttempt costPerSuccess failedCost failedCostPercent value valueLessCost otherValues { currency value } }
      totalCount
      costWithoutOutcome
    }
    outcomeRecords(filter: $records, first: 50) @include(if: $withRecords) {
      nodes { key name succeeded at endUser { name } task cost eventCount value currency sessions }
      totalCount
    }
  }
}`);

type Outcomes = DataOf<'OutcomesPage'>['window'];
type Figures = Outcomes['outcomes']['total'];
type OutcomeRecords = NonNullable<Outcomes['outcomeRecords']>;

const PATH = '/outcomes';
const { AGENT, END_USER, MODEL } = COST_GROUPINGS;
/** Groupings by their name in the URL. */
const GROUPINGS = {
  name: { label: 'Task', key: 'NAME' },
  [AGENT.name]: { label: AGENT.label, key: 'AGENT' },
  [END_USER.name]: { label: END_USER.label, key: 'END_USER' },
  [MODEL.name]: { label: MODEL.label, key: 'MODEL' },
} as const;
type Grouping = keyof typeof GROUPINGS;

/** Filters by their name in the URL. A customer is identified by the service's own UUID. */
const FILTERS = { name: 'Task', customer: END_USER.label, agent: AGENT.label, model: MODEL.label } as const;
type FilterName = keyof typeof FILTERS;

interface View {
  readonly window: WindowChoice;
  readonly grouping: Grouping;
  readonly filters: Readonly<Partial<Record<FilterName, string>>>;
}

export function outcomesPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const time = now();
      const query = periodQuery(dependencies, signedIn);
      const group = query.get('group') ?? '';
      const view: View = {
        window: windowChoice(query, time),
        grouping: Object.hasOwn(GROUPINGS, group) ? (group as Grouping) : 'name',
        filters: Object.fromEntries(
          Object.keys(FILTERS).flatMap((key) => (query.get(key) ? [[key, query.get(key)]] : [])),
        ),
      };
      const { value, error } = await outcomeOf(readOutcomes(dependencies.gateway, signedIn.principal, view));
      const body = html`
<div class="heading"><h1>Outcomes</h1>
  ${windowLinks(view.window, PATH, ownParameters(view))}
</div>
<p class="lead">What completed tasks cost, failed attempts included, compared with their value.</p>
${error ? html`<p class="alert" role="alert">${error.message}</p>` : panels(value, view)}`;
      return sendFramed(signedIn, { title: 'Outcomes', body, ...(error ? { status: 422 } : {}) });
    }),
  );
}

interface Read {
  readonly window: Outcomes;
  /** External id of the customer that the page is filtered by. */
  readonly customer: string | null;
}

async function readOutcomes(
  gateway: GatewayClient,
  principal: Principal,
  { window: { start, end }, grouping, filters: { name, customer: id, agent, model } }: View,
): Promise<Read> {
  const customer =
    id === undefined ? null : (await askGateway(gateway, CUSTOMER, { id }, principal)).endUser.externalId;
  const names = name === undefined ? null : [name];
  const variables = {
    start,
    end,
    groupBy: GROUPINGS[grouping].key,
    filter: { names, endUser: customer, agent: agent ?? null, model: model ?? null },
    records: { names },
    // The list can be filtered only by what outcomes state themselves, not by their events.
    withRecords: [id, agent, model].every((value) => value === undefined),
  };
  return { window: (await askGateway(gateway, OUTCOMES, variables, principal)).window, customer };
}

function ownParameters({ grouping, filters }: View): [string, string][] {
  return [...(grouping === 'name' ? [] : [['group', grouping] as [string, string]]), ...Object.entries(filters)];
}

function pathOf(view: View): string {
  return `${PATH}?${new URLSearchParams([...windowParameters(view.window), ...ownParameters(view)]).toString()}`;
}

function chips(view: View, customer: string | null): Html | false {
  const { filters } = view;
  const names = Object.keys(filters) as FilterName[];
  return (
    names.length > 0 &&
    html`
<ul class="chips" aria-label="Filters">${names.map((key) => {
      const { [key]: id, ...others } = filters;
      const value = key === 'customer' ? customer : id;
      return html`<li>${FILTERS[key]}: <b>${value}</b> <a class="remove" href="${pathOf({ ...view, filters: others })}" aria-label="Remove the filter ${FILTERS[key]}: ${value}">×</a></li>`;
    })}</ul>`
  );
}

function panels({ window: { outcomes, outcomeRecords }, customer }: Read, view: View): Html {
  const { total, nodes, totalCount, costWithoutOutcome } = outcomes;
  const filter = chips(view, customer);
  if (total.count === 0 && total.cost === '0')
    return html`${filter}<p class="panel empty">No outcomes in this period. Report completed tasks and failed attempts with <code>POST /ext/v1/outcomes</code> or <code>books.outcome(…)</code> of the client libraries.</p>`;
  const perSuccess =
    total.costPerSuccess === null
      ? 'no completed task'
      : html`<b>${exactUnitAmount(total.costPerSuccess)}</b> per completed task`;
  return html`${filter}
<p class="lead">${formatCount(total.succeeded)} of ${formatCount(total.count)} completed: ${perSuccess}${total.failedCostPercent !== null && html`, ${formatPercent(total.failedCostPercent)} of the cost in failed attempts`}. Cost without an outcome: ${usdText(costWithoutOutcome)}.</p>
<section class="panel" aria-labelledby="groups"><div class="heading"><h2 id="groups">By ${GROUPINGS[view.grouping].label.toLowerCase()}</h2>${groupLinks(view)}</div>
${totalCount > nodes.length && html`<p class="muted">The costliest ${formatCount(nodes.length)} of ${formatCount(totalCount)}.</p>`}
${groupTable(nodes, total, view)}</section>
${outcomeRecords && recordPanel(outcomeRecords)}`;
}

function groupLinks(view: View): Html {
  return html`<nav aria-label="Grouping"><ul class="windows">${(Object.keys(GROUPINGS) as Grouping[]).map(
    (grouping) =>
      html`
    <li><a href="${pathOf({ ...view, grouping })}"${grouping === view.grouping && html` aria-current="true"`}>${GROUPINGS[grouping].label}</a></li>`,
  )}</ul></nav>`;
}

function groupTable(nodes: Outcomes['outcomes']['nodes'], total: Figures, view: View): Html {
  const name = (value: string) =>
    view.grouping === 'name'
      ? html`<a href="${pathOf({ ...view, filters: { ...view.filters, name: value } })}">${value}</a>`
      : value;
  const rounding = roundingOf(
    amount(total.cost),
    nodes.map(({ figures }) => amount(figures.cost)),
  ).shown;
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="groups"><table class="fold">
  <thead><tr><th scope="col">${GROUPINGS[view.grouping].label}</th><th scope="col" class="number">Completed</th><th scope="col" class="number">Attempts</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Per attempt</th><th scope="col" class="number">Per completed task</th><th scope="col" class="number">In failed attempts</th><th scope="col" class="number">Value</th><th scope="col" class="number">Value minus cost</th></tr></thead>
  <tbody>${nodes.map(({ value, figures }) => figureRow(name(value), figures))}${rounding !== 0n && html`<tr class="rounding"><th scope="row">${ROUNDING}</th><td></td><td></td><td class="number" data-label="Cost">${shownAmount(0n, rounding)}</td><td colspan="5"></td></tr>`}</tbody>
  <tfoot>${figureRow('Total', { ...total, valueLessCost: totalValueLessCost(nodes, total) })}</tfoot>
</table></div>`;
}

/**
 * The total of the column "Value minus cost". Tasks without a value are left out, as in the rows, so that the rows add up.
 * Null if not all tasks are listed.
 */
function totalValueLessCost(nodes: Outcomes['outcomes']['nodes'], total: Figures): string | null {
  if (nodes.reduce((sum, { figures }) => sum + amount(figures.cost), 0n) !== amount(total.cost)) return null;
  const compared = nodes.flatMap(({ figures }) => figures.valueLessCost ?? []);
  return compared.length === 0 ? null : plain(compared.reduce((sum, text) => sum + amount(text), 0n));
}

function figureRow(name: Html | string, figures: Figures): Html {
  const cell = (label: string, content: Content) => html`<td class="number" data-label="${label}">${content}</td>`;
  const amountOf = (text: string | null, print = exactAmount) => (text === null ? '–' : print(text));
  const isLoss = figures.valueLessCost?.startsWith('-') === true;
  return html`
    <tr><th scope="row" class="name">${name}</th>${cell('Completed', formatCount(figures.succeeded))}${cell('Attempts', formatCount(figures.count))}
      ${cell('Cost', exactAmount(figures.cost))}${cell('Per attempt', amountOf(figures.costPerAttempt, exactUnitAmount))}${cell('Per completed task', amountOf(figures.costPerSuccess, exactUnitAmount))}
      ${cell('In failed attempts', figures.failedCostPercent === null ? '–' : formatPercent(figures.failedCostPercent))}
      ${cell('Value', html`${amountOf(figures.value)}${figures.otherValues.map(({ currency, value }) => html` <br><span class="muted">${value} ${currency}</span>`)}`)}
      ${cell('Value minus cost', html`${amountOf(figures.valueLessCost)}${isLoss && html` <span class="badge bad">loss</span>`}`)}</tr>`;
}

function recordPanel({ nodes, totalCount }: OutcomeRecords): Html {
  return html`
<section class="panel" aria-labelledby="single"><h2 id="single">Newest outcomes</h2>
${totalCount > nodes.length && html`<p class="muted">The newest ${formatCount(nodes.length)} of ${formatCount(totalCount)}.</p>`}
${recordTable(nodes)}</section>`;
}

function recordTable(records: OutcomeRecords['nodes']): Html {
  if (records.length === 0) return html`<p class="muted">No outcome ended in this period.</p>`;
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="single"><table class="fold">
  <thead><tr><th scope="col">Task</th><th scope="col">When</th><th scope="col">Customer</th><th scope="col">Result</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Events</th><th scope="col" class="number">Value</th><th scope="col">Sessions</th></tr></thead>
  <tbody>${records.map(
    ({ key, name, succeeded, at, endUser, task, cost, eventCount, value, currency, sessions }) => html`
    <tr><th scope="row" class="name">${name} <br><span class="muted">${task ?? key}</span></th><td data-label="When">${formatInstant(at)}</td><td data-label="Customer">${endUser?.name ?? '–'}</td>
      <td><span class="badge ${succeeded ? 'good' : 'bad'}">${succeeded ? 'completed' : 'failed'}</span></td>
      <td class="number" data-label="Cost">${exactAmount(cost)}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td><td class="number" data-label="Value">${value === null ? '–' : currency === 'USD' ? exactAmount(value) : `${value} ${currency}`}</td>
      <td>${sessions.map((session) => html`<a href="/events/session?${new URLSearchParams({ id: session }).toString()}">${session}</a> `)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}
