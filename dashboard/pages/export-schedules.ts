/** `/exports/schedules`: exports to S3-compatible storage for each day or month, with their deliveries. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE, fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { GRAINS, type Grain } from '../../reports/report-table.ts';
import { REPORT_TABLES } from '../../reports/report-tables.ts';
import { isAdmin, ownPassword, ownPasswordField } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, rawField } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const SCHEDULES = graphql(`query ExportSchedules($scheduleId: ID) {
  exportSchedules {
    id name tables format period grain version endpoint region bucket prefix accessKeyId channelIds state problem nextAt
  }
  exportDeliveries(scheduleId: $scheduleId, first: 50) {
    nodes { id table period state attempts rows bytes manifestKey error dueAt deliveredAt }
  }
  alertChannels { id name target }
}`);
const SAVE = graphql(`mutation SaveExportSchedule($input: ExportScheduleSaveInput!) {
  exportScheduleSave(input: $input) { exportSchedule { id } testedKey userErrors { message code } }
}`);
const TEST = graphql(`mutation TestExportSchedule($id: ID!) {
  exportScheduleTest(input: { id: $id }) { testedKey userErrors { message code } }
}`);
const DELETE = graphql(`mutation DeleteExportSchedule($id: ID!) {
  exportScheduleDelete(input: { id: $id }) { userErrors { message code } }
}`);
const REPEAT = graphql(`mutation RepeatExportDelivery($id: ID!) {
  exportDeliveryRepeat(input: { id: $id }) { userErrors { message code } }
}`);

type Schedules = DataOf<'ExportSchedules'>;
type Schedule = Schedules['exportSchedules'][number];
type Delivery = Schedules['exportDeliveries']['nodes'][number];

const PATH = '/exports/schedules';
const FORMATS = { PARQUET: 'Parquet', CSV: 'CSV', JSONL: 'JSON lines' } as const;
const PERIODS = { DAY: 'Each day', MONTH: 'Each month' } as const;
const GRAIN_LABELS: Readonly<Record<Grain, string>> = { sku: 'In total', customer: 'By customer', agent: 'By agent' };
const TONES = { ACTIVE: 'good', FAILING: 'bad', STOPPED: 'bad', DELIVERED: 'good', PENDING: '' } as const;

export function exportSchedulesPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError, note?: string): Promise<FastifyReply> => {
    if (!isAdmin(signedIn.principal)) fail('FORBIDDEN', 'Owners and admins schedule exports');
    const { id } = signedIn.request.params as { id?: string };
    const read = await askGateway(gateway, SCHEDULES, { scheduleId: id ?? null }, signedIn.principal);
    const schedule = read.exportSchedules.find((one) => one.id === id);
    if (id !== undefined && schedule === undefined) fail('NOT_FOUND', 'Scheduled export not found');
    return sendFramed(signedIn, {
      title: schedule?.name ?? 'Scheduled exports',
      error: error?.message,
      ...(error && { status: ERROR_TABLE[error.code].status }),
      body: html`${note !== undefined && html`<p class="panel" role="status">${note}</p>`}${schedule === undefined ? listBody(signedIn, read) : scheduleBody(signedIn, schedule, read)}`,
    });
  };
  const page = withSession(dependencies, async (signedIn) => render(signedIn));
  const save = withSession(dependencies, async (signedIn) => {
    const input = inputOf(signedIn);
    const { value, error } = await outcomeOf(askGateway(gateway, SAVE, { input }, signedIn.principal));
    if (error) return render(signedIn, error);
    const { exportSchedule, testedKey } = value.exportScheduleSave;
    return exportSchedule === null
      ? render(signedIn, undefined, writtenNote(testedKey))
      : signedIn.reply.redirect(`${PATH}/${exportSchedule.id}?done=export-scheduled`, 303);
  });
  pages.get(PATH, page);
  pages.get(`${PATH}/:id`, page);
  pages.post(PATH, save);
  pages.post(`${PATH}/:id`, save);
  pages.post(
    `${PATH}/:id/test`,
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(askGateway(gateway, TEST, { id: idOf(signedIn) }, signedIn.principal));
      return error
        ? render(signedIn, error)
        : render(signedIn, undefined, writtenNote(value.exportScheduleTest.testedKey));
    }),
  );
  pages.post(
    `${PATH}/:id/delete`,
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, DELETE, { id: idOf(signedIn) }, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=export-deleted`, 303);
    }),
  );
  pages.post(
    `${PATH}/:id/repeat`,
    withSession(dependencies, async (signedIn) => {
      const delivery = field(signedIn.form, 'delivery');
      const { error } = await outcomeOf(askGateway(gateway, REPEAT, { id: delivery }, signedIn.principal));
      return error
        ? render(signedIn, error)
        : signedIn.reply.redirect(`${PATH}/${idOf(signedIn)}?done=export-repeated`, 303);
    }),
  );
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

function writtenNote(key: string | null): string {
  return `The test object ${key ?? ''} was written.`;
}

function inputOf(signedIn: SignedIn) {
  const { form, request } = signedIn;
  const { id } = request.params as { id?: string };
  const text = (name: string) => field(form, name) || null;
  const secret = rawField(form, 'secretAccessKey').trim();
  return {
    ...(id !== undefined && { id }),
    name: field(form, 'name'),
    tables: form.getAll('table'),
    format: chosen(FORMATS, field(form, 'format')),
    period: chosen(PERIODS, field(form, 'period')),
    grain: field(form, 'grain') === 'sku' ? null : text('grain'),
    version: text('version'),
    endpoint: text('endpoint'),
    region: text('region'),
    bucket: field(form, 'bucket'),
    prefix: field(form, 'prefix'),
    accessKeyId: field(form, 'accessKeyId'),
    ...(secret !== '' && { secretAccessKey: secret }),
    channelIds: form.getAll('channel'),
    dryRun: field(form, 'act') === 'test',
    ...ownPassword(form),
  };
}

/** The chosen name, or the first one if the value is not offered. */
function chosen<Name extends string>(labels: Readonly<Record<Name, string>>, value: string): Name {
  const names = Object.keys(labels) as Name[];
  return names.find((name) => name === value) ?? names[0]!;
}

function listBody(signedIn: SignedIn, { exportSchedules, alertChannels }: Schedules): Html {
  return html`
<h1>Scheduled exports</h1>
<p class="lead">Report tables are written to S3-compatible storage six hours after each day or month has ended. <a href="/exports">Exports</a></p>
${
  exportSchedules.length === 0
    ? html`<p class="panel empty">No scheduled exports.</p>`
    : html`<ul class="rows">${exportSchedules.map(
        ({ id, name, bucket, prefix, period, tables, state, problem, nextAt }) => html`
  <li class="panel"><h2 class="name"><a href="${PATH}/${id}">${name}</a> ${badge(state)}</h2>
    <p class="muted name">${PERIODS[period]}: ${tables.map(titleOf).join(', ')} to <code>${[bucket, prefix].filter(Boolean).join('/')}</code>.${nextAt !== null && html` Next on ${formatInstant(nextAt)}.`}</p>
    ${problem !== null && html`<p class="warning">${capitalized(problem)}</p>`}</li>`,
      )}</ul>`
}
${scheduleForm(signedIn, null, alertChannels)}`;
}

function scheduleBody(signedIn: SignedIn, schedule: Schedule, { exportDeliveries, alertChannels }: Schedules): Html {
  const { id, name, state, problem, nextAt } = schedule;
  const button = (path: string, label: string, tone: string) =>
    html`<form method="post" action="${PATH}/${id}/${path}">${csrfField(signedIn.csrf)}<button class="${tone}">${label}</button></form>`;
  return html`
<h1>${name} ${badge(state)}</h1>
<p class="lead">${nextAt === null ? 'Nothing is written until the export is saved again.' : html`Next on ${formatInstant(nextAt)}.`} <a href="${PATH}">Scheduled exports</a></p>
${problem !== null && html`<p class="warning">${capitalized(problem)}</p>`}
<div class="actions">${button('test', 'Write a test object', 'secondary')}${button('delete', 'Delete', 'danger')}</div>
${
  exportDeliveries.nodes.length === 0
    ? html`<p class="panel empty">Nothing has been written yet.</p>`
    : html`<div class="panel scroll" tabindex="0" role="region" aria-label="Deliveries"><table class="fold">
  <caption class="unseen">Deliveries</caption>
  <thead><tr><th scope="col">Period</th><th scope="col">Table</th><th scope="col">State</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Bytes</th><th scope="col">Written</th><th scope="col">Manifest</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${exportDeliveries.nodes.map((delivery) => deliveryRow(signedIn, id, delivery))}
  </tbody></table></div>`
}
${scheduleForm(signedIn, schedule, alertChannels)}`;
}

function deliveryRow({ csrf }: SignedIn, id: string, delivery: Delivery): Html {
  const { period, table, state, rows, bytes, deliveredAt, manifestKey, error, attempts } = delivery;
  return html`
  <tr><th scope="row">${period}</th><td data-label="Table"><code>${table}</code></td><td>${badge(state)}${error !== null && html` ${error} (attempts: ${attempts})`}</td>
    <td class="number" data-label="Rows">${rows === null ? '' : formatCount(rows)}</td><td class="number" data-label="Bytes">${bytes === null ? '' : formatCount(bytes)}</td><td data-label="Written">${deliveredAt !== null && formatInstant(deliveredAt)}</td><td class="name" data-label="Manifest"><code>${manifestKey ?? ''}</code></td>
    <td><form method="post" action="${PATH}/${id}/repeat">${csrfField(csrf)}<input type="hidden" name="delivery" value="${delivery.id}"><button class="secondary">Write again<span class="unseen"> ${table} for ${period}</span></button></form></td></tr>`;
}

function titleOf(table: string): string {
  return REPORT_TABLES.find(({ name }) => name === table)?.title ?? table;
}

function capitalized(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function badge(state: keyof typeof TONES): Html {
  return html`<span class="badge ${TONES[state]}">${state.toLowerCase()}</span>`;
}

/** No response contains the secret, not even one that reports an error. */
function scheduleForm({ csrf, form }: SignedIn, schedule: Schedule | null, channels: Schedules['alertChannels']): Html {
  const isSent = form.has('bucket');
  const value = (name: string, stored: string | null | undefined) => (isSent ? field(form, name) : (stored ?? ''));
  const values = (name: string, stored: readonly string[]) => (isSent ? form.getAll(name) : stored);
  const options = (labels: Readonly<Record<string, string>>, selected: string) =>
    Object.entries(labels).map(
      ([name, label]) => html`<option value="${name}"${name === selected && html` selected`}>${label}</option>`,
    );
  const tables = values('table', schedule?.tables ?? REPORT_TABLES.map(({ name }) => name));
  const notified = values('channel', schedule?.channelIds ?? []);
  const versions = REPORT_TABLES.flatMap(({ editions }) => editions ?? []);
  return html`
<form class="panel stack wide-form" method="post" action="${schedule === null ? PATH : `${PATH}/${schedule.id}`}" autocomplete="off">${csrfField(csrf)}
  <h2>${schedule === null ? 'Schedule an export' : 'Change'}</h2>
  <label>Name <input name="name" value="${value('name', schedule?.name)}" maxlength="100" required></label>
  <fieldset><legend>Tables</legend>${REPORT_TABLES.map(
    ({ name, title }) => html`
    <label class="choice"><input type="checkbox" name="table" value="${name}"${tables.includes(name) && html` checked`}> <span>${title}</span></label>`,
  )}</fieldset>
  <label>One file for <select name="period">${options(PERIODS, value('period', schedule?.period ?? 'DAY'))}</select></label>
  <label>Format <select name="format">${options(FORMATS, value('format', schedule?.format ?? 'PARQUET'))}</select></label>
  <label>Rows of charges and FOCUS <select name="grain">${options(Object.fromEntries(GRAINS.map((grain) => [grain, GRAIN_LABELS[grain]])), value('grain', schedule?.grain ?? 'sku'))}</select></label>
  <label>Version of FOCUS <select name="version">${options({ '': 'Default', ...Object.fromEntries(versions.map((version) => [version, version])) }, value('version', schedule?.version))}</select></label>
  <label>Bucket <input name="bucket" value="${value('bucket', schedule?.bucket)}" maxlength="63" required></label>
  <label>Prefix <span class="muted">(optional)</span> <input name="prefix" value="${value('prefix', schedule?.prefix)}" maxlength="500"></label>
  <label>Endpoint <span class="muted">(empty for Amazon S3)</span> <input name="endpoint" value="${value('endpoint', schedule?.endpoint)}" maxlength="2000" placeholder="https://storage.example.com"></label>
  <label>Region <input name="region" value="${value('region', schedule?.region ?? 'us-east-1')}" maxlength="50"></label>
  <label>Access key ID <input name="accessKeyId" value="${value('accessKeyId', schedule?.accessKeyId)}" maxlength="200" required></label>
  <label>Secret access key
    <input type="password" name="secretAccessKey" autocomplete="off" spellcheck="false" maxlength="500"${schedule === null && html` required`} aria-describedby="secret-hint"></label>
  <p class="muted" id="secret-hint">It is stored encrypted and never shown again.${schedule !== null && ' Leave it empty to keep the stored one.'} The key only needs <code>s3:PutObject</code> below the prefix.</p>
  ${
    channels.length > 0 &&
    html`<fieldset><legend>Notify of failures</legend>${channels.map(
      ({ id, name, target }) => html`
    <label class="choice"><input type="checkbox" name="channel" value="${id}"${notified.includes(id) && html` checked`}> <span>${name} <span class="muted">${target}</span></span></label>`,
    )}</fieldset>`
  }
  ${ownPasswordField(null)}
  <div class="actions"><button>Save</button><button class="secondary" name="act" value="test">Test without saving</button></div></form>`;
}
