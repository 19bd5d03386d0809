/** `/exports`: report tables to download, with their columns. */
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import { FORMATS, findReport, parseReportRequest, REPORT_PARAMETERS } from '../../reports/export-report.ts';
import type { Column, Grain, ReportTable } from '../../reports/report-table.ts';
import { REPORT_TABLES } from '../../reports/report-tables.ts';
import { reportSender } from '../../reports/send-report.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { queryOf } from '../http/form.ts';
import { mayOpen } from '../http/page-access.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const MONTH_LENGTH = '2026-11'.length;
const FORMAT_LABELS: Readonly<Record<string, string>> = { csv: 'CSV', jsonl: 'JSON lines', parquet: 'Parquet' };
const GRAIN_LABELS: Readonly<Record<Grain, string>> = { sku: 'In total', customer: 'By customer', agent: 'By agent' };

export function exportsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const send = reportSender(dependencies.gateway);
  pages.get(
    '/exports',
    withSession(dependencies, async (signedIn) => {
      const month = now().toISOString().slice(0, MONTH_LENGTH);
      const body = html`
<h1>Exports</h1>
<p class="lead">Reports for finance and BI tools, with all digits. The current month is exported up to now. Programs get the same files from <code>/ext/v1/exports</code>.${mayOpen(signedIn.principal, '/exports/schedules') && html` The service can also write them to a bucket: <a href="/exports/schedules">Scheduled exports</a>`}</p>
${REPORT_TABLES.map((table) => panel(table, month))}`;
      return sendFramed(signedIn, { title: 'Exports', body });
    }),
  );
  pages.get<{ Params: { table: string } }>(
    '/exports/:table',
    { exposeHeadRoute: false },
    withSession(dependencies, async ({ request, reply, principal }) => {
      const { table } = request.params as { table: string };
      const query = queryOf(request);
      const sent = Object.fromEntries(REPORT_PARAMETERS.map((name) => [name, query.get(name) || undefined]));
      return send(reply, principal, parseReportRequest(findReport(table), sent, now()));
    }),
  );
}

function panel({ name, title, about, grains, editions, columns }: ReportTable, month: string): Html {
  return html`
<section class="panel stack" aria-labelledby="${name}"><h2 id="${name}">${title}</h2>
  <p>${withCode(about)}</p>
  <form class="inline" method="get" action="/exports/${name}">
    <label>Month <input name="period" type="month" value="${month}" max="${month}" pattern="[0-9]{4}-[0-9]{2}" required></label>
    ${grains.length > 1 && html`<label>Rows <select name="grain">${grains.map((grain) => html`<option value="${grain}">${GRAIN_LABELS[grain]}</option>`)}</select></label>`}
    ${editions !== undefined && html`<label>Version <select name="version">${editions.map((edition) => html`<option>${edition}</option>`)}</select></label>`}
    <label>Format <select name="format">${Object.keys(FORMATS).map((format) => html`<option value="${format}">${FORMAT_LABELS[format] ?? format}</option>`)}</select></label>
    <button aria-label="Download ${title}">Download</button></form>
  <details><summary>Columns of <code>${name}</code></summary><div class="scroll" tabindex="0" role="group" aria-labelledby="${name}"><table class="fold"><thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${Object.entries(columns).map(([column, definition]) => columnRow(column, definition))}</tbody></table></div></details>
</section>`;
}

/** Names between backticks are code. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function columnRow(name: string, { type, unit, grain, editions, about }: Column): Html {
  return html`<tr><th scope="row"><code>${name}</code></th><td>${type}${unit !== undefined && `, ${unit}`}</td><td>${withCode(about)}${grain !== undefined && ` Only in files ${GRAIN_LABELS[grain].toLowerCase()}.`}${editions !== undefined && ` Only in version ${editions.join(', ')}.`}</td></tr>`;
}
