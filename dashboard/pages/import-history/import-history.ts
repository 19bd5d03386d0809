/** `/import`: books the calls that another product has recorded, from its export. The page works like `books import`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { HISTORY_SOURCES, type HistorySource } from '../../../packages/history-files/history-row.ts';
import { frequentReasons, type ImportCounts } from '../../../packages/history-files/import-counts.ts';
import { isDay } from '#kernel/time/utc-day.ts';
import { ERROR_TABLE, fail, type KnownError } from '#kernel/errors.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatCount } from '../../figures/amount.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { serveUpload } from '../../http/serve-upload.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { bookHistory, CALLS_MAX } from './book-history.ts';

const PATH = '/import';
const BYTES_MAX = 32 * 1024 * 1024;

const SOURCE_NAMES: Readonly<Record<HistorySource, string>> = {
  langfuse: 'Langfuse: observations (CSV, JSON or JSON lines)',
  helicone: 'Helicone: requests (CSV, JSON or JSON lines)',
  openrouter: 'OpenRouter: activity with one line for each generation (CSV)',
  litellm: 'LiteLLM: table LiteLLM_SpendLogs (CSV or JSON)',
};

interface Imported {
  readonly counts: ImportCounts;
  readonly isBooked: boolean;
}

/** Values of the form, kept when the page is shown again. */
interface Chosen {
  readonly source: string;
  readonly since: string;
  readonly until: string;
}
const NOTHING: Chosen = { source: '', since: '', until: '' };

export function importHistoryPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const render = async (
    signedIn: SignedIn,
    { imported, error, chosen = NOTHING }: { imported?: Imported; error?: KnownError; chosen?: Chosen } = {},
  ) =>
    sendFramed(signedIn, {
      title: 'Import history',
      error: error?.message,
      ...(error ? { status: ERROR_TABLE[error.code].status } : {}),
      body: html`
<h1>Import history</h1>
<p class="lead">Books the calls that another product has recorded, each at the prices of its day. A call that is already booked does not count twice.</p>
${imported !== undefined && outcome(imported)}
${importForm(signedIn, chosen)}`,
    });

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  serveUpload(pages, dependencies, {
    path: PATH,
    bytesMax: BYTES_MAX,
    forbidden: 'Only owners and admins can import history',
    async answer(signedIn, file): Promise<FastifyReply> {
      const { form, principal } = signedIn;
      const isBooked = field(form, 'check') !== 'yes';
      const chosen = { source: field(form, 'source'), since: field(form, 'since'), until: field(form, 'until') };
      const { value: counts, error } = await outcomeOf(
        (async () => {
          if (file.length === 0) fail('VALIDATION_ERROR', 'Choose a file');
          const source = sourceOf(chosen.source);
          const time = { since: startOfDay(chosen.since), until: startOfDay(chosen.until) };
          return bookHistory(dependencies, principal, { source, file, isBooked, ...time });
        })(),
      );
      return error ? render(signedIn, { error, chosen }) : render(signedIn, { imported: { counts, isBooked }, chosen });
    },
  });
}

function sourceOf(text: string): HistorySource {
  return HISTORY_SOURCES.find((source) => source === text) ?? fail('VALIDATION_ERROR', 'Choose a product');
}

/** Start of a UTC day; null if none was entered. */
function startOfDay(text: string): string | null {
  if (text === '') return null;
  if (!isDay(text)) fail('VALIDATION_ERROR', 'Enter days as YYYY-MM-DD');
  return `${text}T00:00:00Z`;
}

function outcome({ counts, isBooked }: Imported): Html {
  const { rows, accepted, duplicates, skipped, skippedRows, refused, refusedRows, first, last } = counts;
  const calls = rows - skippedRows - refusedRows;
  return html`
<section class="panel stack" aria-labelledby="outcome"><h2 id="outcome">${isBooked ? 'Imported' : 'Checked: nothing was booked'}</h2>
  <table><caption class="unseen">Rows by outcome</caption><tbody>
    <tr><th scope="row">Rows</th><td class="number">${formatCount(rows)}</td></tr>
    ${
      isBooked
        ? html`<tr><th scope="row">Booked</th><td class="number">${formatCount(accepted - duplicates)}</td></tr>
    <tr><th scope="row">Already booked</th><td class="number">${formatCount(duplicates)}</td></tr>`
        : html`<tr><th scope="row">Calls to send</th><td class="number">${formatCount(calls)}</td></tr>`
    }
    <tr><th scope="row">Skipped</th><td class="number">${formatCount(skippedRows)}</td></tr>${reasonRows(skipped)}
    <tr><th scope="row">Refused</th><td class="number">${formatCount(refusedRows)}</td></tr>${reasonRows(refused)}
  </tbody></table>
  ${first !== null && last !== null && accepted > duplicates && nextSteps(first.slice(0, 10), last.slice(0, 10))}
</section>`;
}

function reasonRows(reasons: ReadonlyMap<string, number>): readonly Html[] {
  return frequentReasons(reasons).map(
    ([reason, rows]) =>
      html`<tr><td class="muted">${reason}</td><td class="number muted">${formatCount(rows)}</td></tr>`,
  );
}

function nextSteps(first: string, last: string): Html {
  const period = `from=${first}&to=${last}`;
  return html`<p>The calls are from ${first} to ${last}. Prices appear within moments: <a href="/costs?${period}">costs of this period</a>, <a href="/margins?${period}">margins</a>, <a href="/events?${period}&filter=status:pending_rate_card">calls that wait for a rate</a>.</p>`;
}

function importForm({ csrf, principal }: SignedIn, { source: product, since, until }: Chosen): Html {
  if (!isAdmin(principal)) return html`<p class="panel empty">Only owners and admins can import history.</p>`;
  return html`<form class="panel stack wide-form" method="post" action="${PATH}" enctype="multipart/form-data">${csrfField(csrf)}
  <label>Product <select name="source" required><option value="">Choose</option>${HISTORY_SOURCES.map((source) => html`<option value="${source}"${source === product && html` selected`}>${SOURCE_NAMES[source]}</option>`)}</select></label>
  <label>File <input type="file" name="file" required></label>
  <label>Calls from day, UTC <input name="since" type="date" value="${since}"></label>
  <label>Calls before day, UTC <input name="until" type="date" value="${until}" aria-describedby="until-hint"></label>
  <p class="muted" id="until-hint">If your application already sends calls here, enter its first day, so that no call counts twice.</p>
  <p class="muted">At most 32 MiB and ${CALLS_MAX.toLocaleString('en')} calls. For larger files, use <code>books import</code>.</p>
  <p class="actions"><button>Import</button> <button class="secondary" name="check" value="yes">Only check the file</button></p></form>`;
}
