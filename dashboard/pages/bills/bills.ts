/** `/books/bills`: compares providers' bills with the books, one line per day with its causes, and imports files. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addMonths } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { ERROR_TABLE, fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../../figures/account-user.ts';
import { booksHeading } from '../../figures/books-tabs.ts';
import { formatDate, formatInstant, formatMonth } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf, rawField } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { importBills, importForm } from './import-bills.ts';
import { billAmount, causeBar, causeName, FIX_NAMES, verdictBadge } from './bill-marks.ts';

const CONNECTIONS = graphql(`query BillConnections {
  billConnections { id source name state lastError fetchedAt lastDay pulls untrackedScopes settleHours isPulled keyEnding }
}`);
const DAYS = graphql(`query BillsPage($start: Instant!, $end: Instant!) {
  billDays(start: $start, end: $end) {
    connectionId source day lastDay state coverage currencies billed own difference unexplained isUnexplained
    quantityVerdict amountVerdict
    differences { lastDay model unit unknownCurrency billed own difference unexplained amountVerdict unreadNames causes { cause amount detail } fix { note } }
    fixes { kind lastDay model unit }
  }
  billScopes(start: $start, end: $end) { connectionId scope billed currencies isTracked silentDays }
}`);
const SAVE_KEY = graphql(`mutation SaveBillKey($input: BillConnectionSaveInput!) {
  billConnectionSave(input: $input) { billConnection { id } userErrors { message code } }
}`);
const SET_HOURS = graphql(`mutation SetBillHours($input: BillConnectionUpdateInput!) {
  billConnectionUpdate(input: $input) { billConnection { id } userErrors { message code } }
}`);

const PATH = '/books/bills';
/** Causes of a day that are listed without being opened. */
const LINES_MAX = 2;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

type Connections = DataOf<'BillConnections'>['billConnections'];
type Bills = DataOf<'BillsPage'>;
type Day = Bills['billDays'][number];

export function billsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { billConnections } = await askGateway(gateway, CONNECTIONS, {}, signedIn.principal);
    const month = monthOf(queryOf(signedIn.request).get('month'), billConnections);
    const start = new Date(`${month}-01T00:00:00Z`);
    const window = { start: start.toISOString(), end: addMonths(start, 1).toISOString() };
    const { value, error: unread } =
      billConnections.length === 0
        ? { value: null, error: null }
        : await outcomeOf(askGateway(gateway, DAYS, window, signedIn.principal));
    const shown = error ?? unread ?? undefined;
    return sendFramed(signedIn, {
      title: 'Do the books match?',
      error: shown?.message,
      ...(shown ? { status: ERROR_TABLE[shown.code].status } : {}),
      body: pageBody(signedIn, billConnections, month, value),
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  const act = (path: string, done: string, send: (signedIn: SignedIn) => Promise<unknown>) =>
    pages.post(
      `${PATH}/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { error } = await outcomeOf(send(signedIn));
        return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=${done}`, 303);
      }),
    );
  act('key', 'bill-key-saved', ({ form, principal }) => {
    const input = { source: field(form, 'source'), key: rawField(form, 'key').trim(), ...ownPassword(form) };
    return askGateway(gateway, SAVE_KEY, { input }, principal);
  });
  act('settle', 'bill-hours-saved', ({ form, principal }) => {
    const hours = field(form, 'settleHours');
    if (!/^\d{1,4}$/.test(hours)) fail('VALIDATION_ERROR', 'Enter a number of hours from 0 to 2160');
    return askGateway(gateway, SET_HOURS, { input: { id: field(form, 'id'), settleHours: Number(hours) } }, principal);
  });

  importBills(pages, dependencies, { path: PATH, render });
}

/** The month of the newest bill unless another one is named. */
function monthOf(named: string | null, connections: Connections): string {
  if (named !== null && MONTH.test(named)) return named;
  const last =
    connections
      .map(({ lastDay }) => lastDay ?? '')
      .sort()
      .at(-1) ?? '';
  return last === '' ? now().toISOString().slice(0, 7) : last.slice(0, 7);
}

function pageBody(signedIn: SignedIn, connections: Connections, month: string, bills: Bills | null): Html {
  const start = new Date(`${month}-01T00:00:00Z`);
  const [before, after] = [-1, 1].map((step) => addMonths(start, step).toISOString().slice(0, 7)) as [string, string];
  return html`
${booksHeading(signedIn.principal, 'Do the books match?', PATH)}
<p class="lead">Compares providers’ bills with the books, day by day, and explains each difference.</p>
${importForm(signedIn, PATH) || (connections.length === 0 && html`<p class="panel empty">No bills have been imported yet. Owners and admins can import them on this page.</p>`)}
${
  connections.length > 0 &&
  html`<p class="pager"><a href="${PATH}?month=${before}">${nameOf(before)}</a> <strong>${nameOf(month)}</strong> <a href="${PATH}?month=${after}">${nameOf(after)}</a></p>`
}
${bills !== null && (bills.billDays.length === 0 ? html`<p class="panel empty">No bills for this month.</p>` : dayTable(bills.billDays))}
${bills !== null && silentScopes(bills)}
${connections.length > 0 && connectionTable(signedIn, connections)}
${keyForm(signedIn)}`;
}

function nameOf(month: string): string {
  return formatMonth(new Date(`${month}-01T00:00:00Z`));
}

function dayTable(days: readonly Day[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Days"><table class="fold">
  <caption class="unseen">Bills and books by day</caption>
  <thead><tr><th scope="col">Day</th><th scope="col">Source</th><th scope="col" class="number">Billed</th><th scope="col" class="number">Books</th><th scope="col" class="number">Difference</th><th scope="col">Why</th><th scope="col" class="number">Coverage</th><th scope="col">Status</th></tr></thead>
  <tbody>${days.map(
    (day) => html`
    <tr><th scope="row">${formatDate(day.day)}${day.lastDay !== day.day && html` to ${formatDate(day.lastDay)}`}</th><td data-label="Source">${day.source}</td>
      <td class="number" data-label="Billed">${billAmount(day.billed)} ${day.currencies.join(', ')}</td><td class="number" data-label="Books">${day.own === null ? 'not known' : billAmount(day.own)}</td><td class="number" data-label="Difference">${day.difference === null ? 'not known' : billAmount(day.difference)}</td>
      <td>${causeBar(day)}${causesOf(day)}</td>
      <td class="number" data-label="Coverage">${day.coverage}%</td>
      <td>${verdictBadge(day)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function causesOf(day: Day): Html {
  const lines = day.differences.flatMap((difference) => {
    const { causes, unexplained, unknownCurrency, billed, fix, unreadNames } = difference;
    const open = fix === null ? 'unexplained' : 'accepted';
    const note = fix?.note || (unreadNames.length === 0 ? '' : `not understood: ${unreadNames.join(', ')}`);
    return [
      ...causes.map(({ cause, amount, detail }) => ({
        difference,
        name: causeName(cause),
        amount: billAmount(amount),
        detail,
      })),
      ...(unexplained === null || unexplained === '0'
        ? []
        : [{ difference, name: open, amount: billAmount(unexplained), detail: note }]),
      ...(unknownCurrency === null
        ? []
        : [
            {
              difference,
              name: open,
              amount: html`${billAmount(billed)} ${unknownCurrency}`,
              detail: note || 'unknown exchange rate',
            },
          ]),
    ];
  });
  const repairs = day.fixes.filter(({ kind }) => kind !== 'ACCEPT');
  const list = html`<ul class="plain">${lines.map(
    ({ difference, name, amount, detail }) =>
      html`<li><a href="${PATH}/difference?${parameters(day, difference)}">${difference.model ?? difference.unit ?? 'other lines'}</a>: ${name} ${amount}${detail !== '' && html` <span class="muted">${detail}</span>`}</li>`,
  )}${repairs.map(
    (fix) =>
      html`<li><a href="${PATH}/difference?${parameters(day, fix)}">${fix.model ?? fix.unit ?? 'other lines'}</a>: ${FIX_NAMES[fix.kind].toLowerCase()}</li>`,
  )}</ul>`;
  return lines.length > LINES_MAX
    ? html`<details class="on-paper"><summary>${lines.length} causes</summary>${list}</details>`
    : list;
}

function parameters(
  { connectionId, day }: Day,
  { lastDay, model, unit }: Pick<Day['fixes'][number], 'lastDay' | 'model' | 'unit'>,
): string {
  const named = Object.entries({ connection: connectionId, day, lastDay, model, unit });
  return new URLSearchParams(named.filter((one): one is [string, string] => one[1] !== null)).toString();
}

function silentScopes({ billScopes }: Bills): Html | false {
  const silent = billScopes.filter(({ silentDays }) => silentDays > 0);
  if (silent.length === 0) return false;
  return html`
<section class="panel stack" aria-labelledby="silent"><h2 id="silent">Spend without reporting</h2>
  <ul class="plain">${silent.map(
    ({ scope, billed, currencies, silentDays }) =>
      html`<li><code>${scope}</code>: ${billAmount(billed)} ${currencies.join(', ')}, no usage reported on ${silentDays} ${silentDays === 1 ? 'day' : 'days'}</li>`,
  )}</ul>
</section>`;
}

function connectionTable({ csrf, principal }: SignedIn, connections: Connections): Html {
  const isOwner = principal.grants.includes('owner');
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Sources"><table class="fold">
  <caption class="unseen">Sources of bills</caption>
  <thead><tr><th scope="col">Source</th><th scope="col">Newest bill</th><th scope="col">Last day</th><th scope="col">Pulled with</th><th scope="col">Final after, hours</th><th scope="col">Not tracked</th><th scope="col">State</th></tr></thead>
  <tbody>${connections.map(
    ({ id, name, source, fetchedAt, lastDay, untrackedScopes, state, lastError, settleHours, keyEnding }) => html`
    <tr><th scope="row">${name} <span class="muted">${source}</span></th><td data-label="Newest bill">${fetchedAt === null ? 'none yet' : formatInstant(fetchedAt)}</td>${lastDay === null ? html`<td></td>` : html`<td data-label="Last day">${formatDate(lastDay)}</td>`}
      <td data-label="Pulled with">${keyEnding === null ? 'imported' : html`key …${keyEnding}`}</td>
      <td data-label="Final after, hours">${isOwner ? html`${settleForm(csrf, id, settleHours, name)}<span class="printed">${settleHours}</span>` : settleHours}</td>
      ${untrackedScopes.length === 0 ? html`<td></td>` : html`<td data-label="Not tracked">${untrackedScopes.join(', ')}</td>`}<td><span class="badge ${state === 'OK' ? 'good' : 'bad'}">${state === 'OK' ? 'ok' : 'failing'}</span>${lastError !== null && html` ${lastError}`}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function settleForm(csrf: string, id: string, settleHours: number, name: string): Html {
  return html`<form class="inline" method="post" action="${PATH}/settle">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
    <input type="number" name="settleHours" value="${settleHours}" min="0" max="2160" required aria-label="Hours until a day of ${name} is final">
    <button class="secondary">Save</button></form>`;
}

/** Sources whose bills are pulled with an admin key: source, provider, and where to find the key. */
const PULLED = [
  ['anthropic.cost_report', 'Anthropic', 'an Admin key: Console, Settings, Admin keys'],
  ['openai.costs', 'OpenAI', 'an Admin key: Platform, Settings, Organization, Admin keys'],
  ['openrouter.activity', 'OpenRouter', 'a provisioning key: Settings, Provisioning keys'],
] as const;

/** No response contains the key, not even one that reports an error in it. */
function keyForm({ csrf, form, principal }: SignedIn): Html | false {
  if (!principal.grants.includes('owner') || principal.sampleOf !== undefined) return false;
  const chosen = field(form, 'source');
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}/key" autocomplete="off">${csrfField(csrf)}
  <h2>Pull bills automatically</h2>
  <p>With an admin key, the bills of the last 31 days are pulled every six hours. The key only needs to read usage and costs.</p>
  <ul class="plain">${PULLED.map(([, name, where]) => html`<li>${name}: ${where}</li>`)}</ul>
  <label>Provider <select name="source">${PULLED.map(([source, name]) => html`<option value="${source}"${source === chosen && html` selected`}>${name}</option>`)}</select></label>
  <label>Admin key
    <input type="password" name="key" autocomplete="off" spellcheck="false" maxlength="500" required aria-describedby="key-hint"></label>
  <p class="muted" id="key-hint">It is stored encrypted and never shown again. A new key replaces the previous key of the same provider.</p>
  ${ownPasswordField(null)}
  <button>Save the key</button></form>`;
}
