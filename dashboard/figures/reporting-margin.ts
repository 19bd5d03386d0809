/** Margin in the organization's reporting currency, for organizations that chose one. */
import { amount, type Money, money, plain } from '#kernel/money.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { groupedDigits } from '#kernel/usd-text.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { html, type Html } from '../shell/html.ts';
import { formatCount, formatPercent } from './amount.ts';
import { formatDate } from './instant.ts';
import { customerPath } from './margin-rows.ts';
import { type WindowChoice, windowParameters } from './window-choice.ts';

const CHOICE = graphql(`query ReportingCurrencyOfPages { reportingCurrency { currency choices { from } } }`);
const MARGIN = graphql(`query ReportingMarginOfPages($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { reportingMargin {
    currency costInUsd totalRevenue { amount } totalCost { amount } marginPercent fees { amount } marginAfterFees { amount } exchangeDifferences { amount } warnings { type message }
    latestRate { day from to rate } waiting { kind amount { amount currency } reason } endUserCount
    endUsers(first: 20) { nodes { endUserId endUserName revenue { amount } cost { amount } marginPercent } }
  } }
}`);

type ReportingMargin = DataOf<'ReportingMarginOfPages'>['window']['reportingMargin'];
type Waiting = ReportingMargin['waiting'];

/** Null for an organization that never chose a currency: its margin is the one in USD. */
export async function getReportingMargin(
  gateway: GatewayClient,
  principal: Principal,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<ReportingMargin | null> {
  const { reportingCurrency } = await askGateway(gateway, CHOICE, {}, principal);
  if (reportingCurrency.choices.length === 0) return null;
  return (await askGateway(gateway, MARGIN, { start, end }, principal)).window.reportingMargin;
}

/** `1,234.56 EUR`, and `−0.50 EUR`. */
function currencyText(amount: string, currency: string): string {
  return `${roundedText(amount)} ${currency}`;
}

/** As on all pages, the shown margin is the difference of the shown amounts. */
function differenceOf(after: string, before: string): string {
  return numberText(cents(after).minus(cents(before)));
}

function roundedText(amount: string): string {
  return numberText(cents(amount));
}

/** Rounded to cents. */
function cents(text: string): Money {
  return money(plain(rounded(amount(text))));
}

const DECIMALS = 2;

function numberText(amount: Money): string {
  const digits = groupedDigits(amount.abs().toFixed(DECIMALS));
  return amount.isNegative() && !/^[0.,]+$/.test(digits) ? `−${digits}` : digits;
}

const KINDS: Readonly<Record<Waiting[number]['kind'], string>> = { REVENUE: 'Revenue', COST: 'Cost', FEE: 'Fee' };

export function waitingList(waiting: Waiting, title: string): Html | false {
  return (
    waiting.length > 0 &&
    html`
<section class="panel warnings" aria-labelledby="waiting"><h2 id="waiting">${title}</h2>
  <p>No figure in this currency includes these amounts.</p>
  <ul>${waiting.map(({ kind, amount, reason }) => html`<li>${KINDS[kind]}: ${currencyText(amount.amount, amount.currency)}. ${reason}.</li>`)}</ul>
</section>`
  );
}

/** Names the latest exchange rate and its day. */
export function reportingPanel(margin: ReportingMargin, window: WindowChoice): Html {
  const { currency, totalRevenue, totalCost, marginPercent, latestRate, costInUsd, endUsers, endUserCount } = margin;
  const shown = (amount: { readonly amount: string }) => currencyText(amount.amount, currency);
  return html`
<section class="panel" aria-labelledby="reporting"><div class="heading"><h2 id="reporting">From revenue to margin</h2><span><a href="/settings/currency">Currency</a> <a href="/margins/currency.csv?${new URLSearchParams(windowParameters(window)).toString()}" download>CSV</a></span></div>
  <p class="lead">Revenue ${shown(totalRevenue)} − cost ${shown(totalCost)} = margin ${differenceOf(totalRevenue.amount, totalCost.amount)} ${currency}${marginPercent !== null && html` (${formatPercent(marginPercent)})`}.</p>
  <p>Stripe fees ${shown(margin.fees)}; margin after fees ${shown(margin.marginAfterFees)}. ${margin.exchangeDifferences.amount !== '0' && html`Exchange differences of refunds and disputes ${shown(margin.exchangeDifferences)}, not part of the margin. `}${margin.warnings.filter(({ type }) => type === 'fees_unknown').map(({ message }) => message)}</p>
  <p class="muted">${latestRate === null ? html`Costs are in USD.` : html`Costs of ${currencyText(costInUsd, 'USD')} are converted day by day; the latest rate is ${latestRate.rate} ${latestRate.to} for one ${latestRate.from}, of ${formatDate(latestRate.day)}. Invoices in other currencies keep the rate of their day, or the one at which Stripe settled them.`}</p>
  ${
    endUsers.nodes.length > 0 &&
    html`<div class="scroll" tabindex="0" role="region" aria-label="Margins in ${currency}"><table class="fold">
    <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Revenue (${currency})</th><th scope="col" class="number">Cost (${currency})</th><th scope="col" class="number">Margin (${currency})</th><th scope="col" class="number">Margin %</th></tr></thead>
    <tbody>${endUsers.nodes.map(
      (row) => html`
      <tr><th scope="row" class="name"><a href="${customerPath(row.endUserId, window)}">${row.endUserName}</a></th><td class="number" data-label="Revenue">${roundedText(row.revenue.amount)}</td><td class="number" data-label="Cost">${roundedText(row.cost.amount)}</td><td class="number" data-label="Margin">${differenceOf(row.revenue.amount, row.cost.amount)}</td><td class="number" data-label="Margin %">${row.marginPercent === null ? '–' : formatPercent(row.marginPercent)}</td></tr>`,
    )}</tbody></table></div>`
  }
  ${endUserCount > endUsers.nodes.length && html`<p class="muted">The ${formatCount(endUsers.nodes.length)} least profitable of ${formatCount(endUserCount)} customers.</p>`}
</section>
${waitingList(margin.waiting, `Waiting for an exchange rate to ${currency}`)}`;
}
