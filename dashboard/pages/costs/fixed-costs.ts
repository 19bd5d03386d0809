/** `/costs/fixed`: fixed costs: what was bought, used and left idle, and how it is divided among customers. */
import { amount as toAmount } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount, exactUnitAmount, formatCount, formatPercent } from '../../figures/amount.ts';
import { breakEvenAtList, hasBreakEven } from '../../figures/break-even.ts';
import { formatDate } from '../../figures/instant.ts';
import { ROUNDING, roundingOf, shownAmount } from '../../figures/shown-parts.ts';
import { windowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { periodQuery } from '../../http/period-query.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { type Content, html, type Html } from '../../shell/html.ts';
import { DRIVERS } from './fixed-cost-fields.ts';

const FIXED_COSTS = graphql(`query FixedCostsPage($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    allocatedCosts(groupBy: END_USER, first: 100) {
      nodes { endUser { name } total }
      totalCount total allocated unassigned idle unallocated replacedCost
    }
    shortfalls { total lines { kind name provider amount } }
    costAdjustments(first: 100) { nodes { id day bookedDay provider model amount note reversesId } totalCount totalAmount }
  }
  fixedCosts {
    key name provider driver unit replacesModelCost allocatedUntil
    utilisation(start: $start, end: $end) { days bought used idle unallocated percent modelCost replacedCost breakEvenPercent listBreakEvenPercent }
    effectivePrice(start: $start, end: $end) { price }
  }
}`);

type Data = DataOf<'FixedCostsPage'>;
type FixedCost = Data['fixedCosts'][number];
type Allocated = Data['window']['allocatedCosts'];

const PATH = '/costs/fixed';

export function fixedCostsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const window = windowChoice(periodQuery(dependencies, signedIn), now());
      const { start, end } = window;
      const mayChange = isAdmin(signedIn.principal);
      const { value, error } = await outcomeOf(
        askGateway(dependencies.gateway, FIXED_COSTS, { start, end }, signedIn.principal),
      );
      const parameters = new URLSearchParams(windowParameters(window)).toString();
      const body = html`
<p class="crumbs"><a href="/costs?${parameters}">Costs</a></p>
<div class="heading"><h1>Fixed costs</h1>
  ${windowLinks(window, PATH)}
</div>
<p class="lead">Costs that you pay whether or not you use what you bought, and how they are divided among customers. UTC days are allocated two hours after they end.</p>
${mayChange && html`<p><a class="button" href="${PATH}/entry">Add a fixed cost</a></p>`}
${error ? html`<p class="alert" role="alert">${error.message}</p>` : panels(value, mayChange)}${!error && shortfallPanel(value.window.shortfalls)}${!error && adjustments(value.window.costAdjustments)}`;
      return sendFramed(signedIn, { title: 'Fixed costs', body, ...(error ? { status: 422 } : {}) });
    }),
  );
}

function panels({ fixedCosts, window: { allocatedCosts } }: Data, mayChange: boolean): Html {
  if (fixedCosts.length === 0)
    return html`<p class="panel empty">No fixed costs, such as seats, GPU hours, provisioned throughput or support.</p>`;
  return html`
<section class="panel" aria-labelledby="fixed"><h2 id="fixed">Bought, used and idle</h2>
${fixedCosts.some(hasBreakEven) && html`<p class="muted">Capacity pays off while its use is above the break-even, at which the same calls cost the same by token.</p>`}
<div class="scroll" tabindex="0" role="group" aria-labelledby="fixed"><table class="fold">
  <thead><tr><th scope="col">Fixed cost</th><th scope="col">Divided by</th><th scope="col" class="number">Bought</th><th scope="col" class="number">Used</th><th scope="col" class="number">Idle</th><th scope="col" class="number">Unallocated</th><th scope="col" class="number">Capacity used</th><th scope="col" class="number">Price per unit</th><th scope="col" class="number">At token prices</th><th scope="col" class="number">Break-even</th></tr></thead>
  <tbody>${fixedCosts.map((fixedCost) => fixedCostRow(fixedCost, mayChange))}</tbody>
</table></div></section>
<section class="panel" aria-labelledby="carried"><h2 id="carried">Share of each customer</h2>
${carriedBy(allocatedCosts)}</section>`;
}

/** Shortfalls of commitments, and prepayments that expired unused. */
function shortfallPanel({ total, lines }: Data['window']['shortfalls']): Html | false {
  if (lines.length === 0) return false;
  return html`
<section class="panel" aria-labelledby="shortfalls"><h2 id="shortfalls">Paid but not used</h2>
<p class="muted">Shortfalls of <a href="/rates/commitments">commitments</a> whose periods have ended, and <a href="/rates/credits">prepayments</a> that expired unused. They are not charged to any customer.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="shortfalls"><table>
  <thead><tr><th scope="col">Commitment or prepayment</th><th scope="col" class="number">Amount</th></tr></thead>
  <tbody>${lines.map(
    ({ kind, name, provider, amount }) => html`
    <tr><th scope="row" class="name">${name} <span class="muted">${provider}, ${kind === 'COMMITMENT' ? 'commitment' : 'prepayment'}</span></th><td class="number">${exactAmount(amount)}</td></tr>`,
  )}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number">${exactAmount(total)}</td></tr></tfoot>
</table></div></section>`;
}

/** Costs without events, such as the unexplained part of a bill. */
function adjustments({ nodes, totalCount, totalAmount }: Data['window']['costAdjustments']): Html | false {
  if (totalCount === 0) return false;
  return html`
<section class="panel" aria-labelledby="adjustments"><h2 id="adjustments">Adjustments without a customer</h2>
${totalCount > nodes.length && html`<p class="muted">The newest ${formatCount(nodes.length)} of ${formatCount(totalCount)}.</p>`}
<div class="scroll" tabindex="0" role="group" aria-labelledby="adjustments"><table class="fold">
  <thead><tr><th scope="col">Day</th><th scope="col">Provider and model</th><th scope="col">Note</th><th scope="col" class="number">Amount</th></tr></thead>
  <tbody>${nodes.map(
    ({ day, bookedDay, provider, model, amount, note, reversesId }) => html`
    <tr><th scope="row">${formatDate(day)}${bookedDay !== day && html` <span class="muted">booked on ${formatDate(bookedDay)}</span>`}</th><td class="name" data-label="Provider and model">${provider}${model !== null && html` ${model}`}</td><td class="name" data-label="Note">${reversesId !== null && 'Reverted: '}${note}</td><td class="number" data-label="Amount">${exactAmount(amount)}</td></tr>`,
  )}
  </tbody>
  <tfoot><tr><th scope="row" colspan="3">Total</th><td class="number">${exactAmount(totalAmount)}</td></tr></tfoot>
</table></div></section>`;
}

const cell = (label: string, content: Content) => html`<td class="number" data-label="${label}">${content}</td>`;

function fixedCostRow(fixedCost: FixedCost, mayChange: boolean): Html {
  const { key, name, provider, driver, unit, utilisation, effectivePrice, allocatedUntil } = fixedCost;
  const { bought, used, idle, unallocated, percent, modelCost, replacedCost, breakEvenPercent, listBreakEvenPercent } =
    utilisation;
  const price = effectivePrice?.price ?? null;
  const per = driver === 'TOKENS' ? 'per million tokens' : driver === 'EVENTS' ? 'per event' : 'per unit';
  return html`
    <tr><th scope="row" class="name">${name}${provider !== null && html` <span class="muted">${provider}</span>`} <br><span class="muted">${allocatedUntil === null ? 'not allocated yet' : html`allocated until ${formatDate(allocatedUntil)}`}</span>${mayChange && html` <a href="${PATH}/entry?${new URLSearchParams({ key }).toString()}" aria-label="Change ${name}">Change</a>`}</th>
      <td data-label="Divided by">${unit === null ? DRIVERS[driver] : unit.replaceAll('_', ' ')}</td>
      ${cell('Bought', exactAmount(bought))}${cell('Used', exactAmount(used))}
      ${cell('Idle', idle === null ? html`<span class="muted">unknown</span>` : exactAmount(idle))}${cell('Unallocated', exactAmount(unallocated))}
      ${cell('Capacity used', percent === null ? '–' : formatPercent(percent))}
      ${cell('Price per unit', price === null ? '–' : html`${exactUnitAmount(price)}<br> <span class="muted">${per}</span>`)}
      ${cell('At token prices', html`${exactAmount(modelCost)}${replacedCost !== '0' && html` <br> <span class="muted">replaced</span>`}`)}
      ${cell('Break-even', hasBreakEven(fixedCost) ? html`${formatPercent(breakEvenPercent!)}${breakEvenAtList(breakEvenPercent, listBreakEvenPercent)}` : '–')}</tr>`;
}

function carriedBy({ nodes, totalCount, total, unassigned, idle, unallocated, replacedCost }: Allocated): Html {
  const others: readonly [label: string, amount: string][] = [
    ['Events without a customer', unassigned],
    ['Idle', idle],
    ['Unallocated', unallocated],
  ];
  return html`
<p>${usdText(total)} booked in this period.${replacedCost !== '0' && html` The margin after fixed costs leaves out ${usdText(replacedCost)} of model costs, which they replace.`}</p>
${totalCount > nodes.length && html`<p class="muted">The largest ${formatCount(nodes.length)} of ${formatCount(totalCount)} customers.</p>`}
<div class="scroll" tabindex="0" role="group" aria-labelledby="carried"><table>
  <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Fixed costs</th></tr></thead>
  <tbody>${nodes.map(
    ({ endUser, total: carried }) => html`
    <tr><th scope="row" class="name">${endUser?.name}</th><td class="number">${exactAmount(carried)}</td></tr>`,
  )}${others
    .filter(([, amount]) => amount !== '0')
    .map(
      ([label, amount]) => html`
    <tr><th scope="row" class="name"><span class="muted">${label}</span></th><td class="number">${exactAmount(amount)}</td></tr>`,
    )}${totalCount === nodes.length && roundingRow(total, [...nodes.map((node) => node.total), ...others.map(([, amount]) => amount)])}
  </tbody>
  <tfoot><tr><th scope="row">Total</th><td class="number">${exactAmount(total)}</td></tr></tfoot>
</table></div>`;
}

/** The cents that rounding leaves over, if any. */
function roundingRow(total: string, parts: readonly string[]): Html | false {
  const { exact, shown } = roundingOf(toAmount(total), parts.map(toAmount));
  return (
    shown !== 0n &&
    html`<tr class="rounding"><th scope="row">${ROUNDING}</th><td class="number">${shownAmount(exact, shown)}</td></tr>`
  );
}
