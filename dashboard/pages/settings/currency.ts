/** `/settings/currency`: the currency of margins, and the exchange rates behind it. Owners change it. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatDate, formatMonth } from '../../figures/instant.ts';
import { waitingList } from '../../figures/reporting-margin.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const CURRENCY = graphql(`query CurrencyPage {
  reportingCurrency { currency choices { currency from } newestRateDay isConverting }
  fxRates(first: 40) { nodes { day base quote rate source } }
}`);
const WAITING = graphql(`query WaitingAmounts($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { reportingMargin { waiting { kind amount { amount currency } reason } } }
}`);
const SET = graphql(`mutation SetCurrencyOnPage($currency: String!, $from: String) {
  outcome: organizationCurrencySet(input: { currency: $currency, from: $from }) { userErrors { message code } }
}`);

const PATH = '/settings/currency';

type Figures = DataOf<'CurrencyPage'>;

export function currencyPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { principal } = signedIn;
    const today = now();
    const start = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11, 1)).toISOString();
    const [figures, { value: waiting }] = await Promise.all([
      askGateway(gateway, CURRENCY, {}, principal),
      outcomeOf(askGateway(gateway, WAITING, { start, end: today.toISOString() }, principal), []),
    ]);
    const body = html`
<h1>Currency</h1>
<p class="lead">Margins are also reported in this currency. Invoices in this currency are not converted. Other invoices are converted at the rate at which Stripe settled them, or at the rate of their day, which then stays fixed. Costs are converted at the rate of each day.</p>
${current(figures)}
${waiting !== null && waitingList(waiting.window.reportingMargin.waiting, 'Waiting for a rate in the last 12 months')}
${principal.grants.includes('owner') && form(signedIn, figures)}
${rates(figures)}`;
    return sendFramed(signedIn, {
      title: 'Currency',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const { form: sent, principal } = signedIn;
      const from = field(sent, 'from');
      const variables = { currency: field(sent, 'currency'), ...(from === '' ? {} : { from }) };
      const { error } = await outcomeOf(askGateway(gateway, SET, variables, principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=currency-set`, 303);
    }),
  );
}

function current({ reportingCurrency: { currency, choices, newestRateDay, isConverting } }: Figures): Html {
  return html`
<section class="panel stack" aria-labelledby="current"><h2 id="current">${currency}</h2>
  ${choices.length > 0 && html`<ul class="rows">${choices.map((choice) => html`<li class="row">${choice.currency} ${choice.from < '1999' ? 'for all months' : `from ${formatMonth(new Date(`${choice.from}-01`))}`}</li>`)}</ul>`}
  <p class="muted">${newestRateDay === null ? 'The operator of this service has not imported exchange rates for it.' : html`Newest exchange rate: ${formatDate(newestRateDay)}.`}${isConverting && ' Records are being converted.'}</p>
</section>`;
}

function form({ csrf }: SignedIn, { reportingCurrency, fxRates }: Figures): Html {
  const offered = [
    ...new Set(['USD', ...fxRates.nodes.map(({ base }) => base), ...fxRates.nodes.map(({ quote }) => quote)]),
  ];
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}">${csrfField(csrf)}
  <h2>Change the currency</h2>
  <div class="fields"><label>Currency <select name="currency">${offered.map((code) => html`<option${code === reportingCurrency.currency && html` selected`}>${code}</option>`)}</select></label>
  <label>From month <span class="muted">(default: every open month)</span> <input name="from" placeholder="2026-01" pattern="[0-9]{4}-[0-9]{2}" title="A month such as 2026-01" autocomplete="off"></label></div>
  <button>Save</button></form>`;
}

function rates({ fxRates: { nodes } }: Figures): Html | false {
  const [newest] = nodes;
  const shown = nodes.filter(({ day }) => day === newest?.day);
  return (
    newest !== undefined &&
    html`
<section class="panel" aria-labelledby="rates"><h2 id="rates">Exchange rates of ${formatDate(newest.day)}</h2>
  <p class="muted">Reference rates of the European Central Bank${shown.some(({ source }) => source === 'own') && ', or of the operator if marked so'}, for one ${newest.base}.</p>
  <div class="scroll" tabindex="0" role="region" aria-label="Exchange rates"><table>
    <thead><tr><th scope="col">Currency</th><th scope="col" class="number">Rate</th></tr></thead>
    <tbody>${shown.map(({ quote, rate, source }) => html`<tr><th scope="row">${quote}${source === 'own' && html` <span class="muted">operator</span>`}</th><td class="number">${rate}</td></tr>`)}</tbody>
  </table></div>
</section>`
  );
}
