/** `/books/bills`: compares providers' bills with the books, one line a day with its causes, and imports files. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addMonths } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { ERROR_TABLE, fail, type KnownError } from '#schema/errors.ts';
import { type DataOf, graphql, internalGraphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { booksHeading } from '../../figures/books-tabs.ts';
import { formatInstant } from '../../figures/instant.ts';
import { cookieOf } from '../../http/cookies.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, queryOf } from '../../http/form.ts';
import { FormWithFile, readFormWithFile } from '../../http/form-with-file.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { causeBar, causeName, verdictBadge } from './bill-marks.ts';

const CONNECTIONS = graphql(`query BillConnections {
  billConnections { id source name state lastError fetchedAt lastDay pulls untrackedScopes }
}`);
const DAYS = graphql(`query BillsPage($start: Instant!, $end: Instant!) {
  billDays(start: $start, end: $end) {
    connectionId source day lastDay state coverage currencies billed own difference unexplained isUnexplained
    quantityVerdict amountVerdict
    differences { model billed own difference unexplained amountVerdict causes { cause amount detail } fix { note } }
  }
  billScopes(start: $start, end: $end) { connectionId scope billed currencies isTracked silentDays }
}`);
const SAVE_PART = internalGraphql(`mutation SaveBillPartOfPage($input: BillPartSaveInput!) {
  billPartSave(input: $input) { userErrors { message code } }
}`);
const IMPORT = internalGraphql(`mutation ImportBillOfPage($input: BillImportInput!) {
  billImport(input: $input) { bill { fromDay isNew lines } userErrors { message code } }
}`);

const PATH = '/books/bills';
const BYTES_MAX = 64 * 1024 * 1024;
const PART_BYTES = 512 * 1024;
/** Fields of the form around the file. */
const FORM_BYTES = 16 * 1024;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

type Connections = DataOf<'BillConnections'>['billConnections'];
type Bills = DataOf<'BillsPage'>;
type Day = Bills['billDays'][number];

export function billsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure } = dependencies;

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

  void pages.register(async (upload) => {
    // The body is read only after the session is checked.
    upload.addHook('onRequest', async (request) => {
      const token = cookieOf(request, isSecure, SESSION_COOKIE);
      const principal =
        token === undefined ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
      if (principal?.kind !== 'session') fail('UNAUTHORIZED', 'Sign in first');
    });
    parseBodies(
      upload,
      'multipart/form-data',
      () => ({ bytesMax: BYTES_MAX + FORM_BYTES }),
      (sent, request) => readFormWithFile(sent, request.headers['content-type'] ?? ''),
    );
    upload.post(
      `${PATH}/import`,
      withSession(dependencies, async (signedIn) => {
        const { form, principal } = signedIn;
        const file = form instanceof FormWithFile ? form.file : Buffer.alloc(0);
        const { value, error } = await outcomeOf(
          (async () => {
            if (file.length === 0) fail('VALIDATION_ERROR', 'Choose a file');
            const uploadId = randomUuid();
            for (let part = 0; part * PART_BYTES < file.length; part++) {
              const data = file.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64');
              await askGateway(gateway, SAVE_PART, { input: { uploadId, part, data } }, principal);
            }
            return askGateway(gateway, IMPORT, { input: { uploadId } }, principal);
          })(),
        );
        if (error) return render(signedIn, error);
        const { fromDay, isNew } = value.billImport.bill!;
        return signedIn.reply.redirect(
          `${PATH}?month=${fromDay.slice(0, 7)}&done=${isNew ? 'bill-imported' : 'bill-known'}`,
          303,
        );
      }),
    );
  });
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
  const [before, after] = [-1, 1].map((step) => addMonths(start, step).toISOString().slice(0, 7));
  return html`
${booksHeading('Do the books match?', PATH)}
<p class="lead">Compares providers’ bills with the books, day by day, and explains each difference.</p>
${importForm(signedIn)}
${
  connections.length > 0 &&
  html`<p class="pager"><a href="${PATH}?month=${before}">${before}</a> <strong>${month}</strong> <a href="${PATH}?month=${after}">${after}</a></p>`
}
${bills !== null && (bills.billDays.length === 0 ? html`<p class="panel empty">No bills for this month.</p>` : dayTable(bills.billDays))}
${bills !== null && silentScopes(bills)}
${connections.length > 0 && connectionTable(connections)}`;
}

function importForm({ csrf, principal }: SignedIn): Html | false {
  if (!isAdmin(principal)) return false;
  return html`<form class="panel stack wide-form" method="post" action="${PATH}/import" enctype="multipart/form-data">${csrfField(csrf)}
  <p>Download the cost file of a month from your provider and import it unchanged: Anthropic or OpenAI costs and usage, AWS CUR 2.0, Google billing export, OpenRouter activity, or FOCUS. At most 64 MiB.</p>
  <label>File <input type="file" name="file" required></label>
  <button>Import</button></form>`;
}

function dayTable(days: readonly Day[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Days"><table>
  <caption class="unseen">Bills and books by day</caption>
  <thead><tr><th scope="col">Day</th><th scope="col">Source</th><th scope="col" class="number">Billed</th><th scope="col" class="number">Books</th><th scope="col" class="number">Difference</th><th scope="col">Why</th><th scope="col" class="number">Coverage</th><th scope="col">Verdict</th></tr></thead>
  <tbody>${days.map(
    (day) => html`
    <tr><th scope="row">${day.day}${day.lastDay !== day.day && html` to ${day.lastDay}`}</th><td>${day.source}</td>
      <td class="number">${day.billed} ${day.currencies.join(', ')}</td><td class="number">${day.own ?? 'not known'}</td><td class="number">${day.difference ?? 'not known'}</td>
      <td>${causeBar(day)}${causesOf(day)}</td>
      <td class="number">${day.coverage}%</td>
      <td>${verdictBadge(day)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}

function causesOf(day: Day): Html {
  const lines = day.differences.flatMap(({ model, causes, unexplained, fix }) => [
    ...causes.map(({ cause, amount, detail }) => ({ model, name: causeName(cause), amount, detail })),
    ...(unexplained === null || unexplained === '0'
      ? []
      : [{ model, name: fix === null ? 'unexplained' : 'accepted', amount: unexplained, detail: fix?.note ?? '' }]),
  ]);
  return html`<ul class="plain">${lines.map(
    ({ model, name, amount, detail }) =>
      html`<li><a href="${PATH}/difference?${parameters(day, model)}">${model ?? 'other lines'}</a>: ${name} ${amount}${detail !== '' && html` <span class="muted">${detail}</span>`}</li>`,
  )}</ul>`;
}

function parameters({ connectionId, day }: Day, model: string | null): string {
  return new URLSearchParams({ connection: connectionId, day, ...(model === null ? {} : { model }) }).toString();
}

function silentScopes({ billScopes }: Bills): Html | false {
  const silent = billScopes.filter(({ silentDays }) => silentDays > 0);
  if (silent.length === 0) return false;
  return html`
<section class="panel stack" aria-labelledby="silent"><h2 id="silent">Spend without reporting</h2>
  <ul class="plain">${silent.map(
    ({ scope, billed, currencies, silentDays }) =>
      html`<li><code>${scope}</code>: ${billed} ${currencies.join(', ')}, silent on ${silentDays} ${silentDays === 1 ? 'day' : 'days'}</li>`,
  )}</ul>
</section>`;
}

function connectionTable(connections: Connections): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Sources"><table>
  <caption class="unseen">Sources of bills</caption>
  <thead><tr><th scope="col">Source</th><th scope="col">Newest bill</th><th scope="col">Last day</th><th scope="col">Not tracked</th><th scope="col">State</th></tr></thead>
  <tbody>${connections.map(
    ({ name, source, fetchedAt, lastDay, untrackedScopes, state, lastError }) => html`
    <tr><th scope="row">${name} <span class="muted">${source}</span></th><td>${fetchedAt === null ? 'none yet' : formatInstant(fetchedAt)}</td><td>${lastDay ?? ''}</td>
      <td>${untrackedScopes.join(', ')}</td><td><span class="badge ${state === 'OK' ? 'good' : 'bad'}">${state === 'OK' ? 'ok' : 'failing'}</span>${lastError !== null && html` ${lastError}`}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}
