/** `/books/bills/difference`: a difference with its causes and proposed fixes. Previews, applies and reverts a fix. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { daysLater } from '#kernel/time/duration.ts';
import { isDay } from '#kernel/time/utc-day.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE, fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { booksHeading } from '../../figures/books-tabs.ts';
import { formatDate, formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { billAmount, causeName, FIX_NAMES } from './bill-marks.ts';

const DIFFERENCE =
  graphql(`query BillDifferencePage($filter: BillDifferenceFilter!, $start: Instant!, $end: Instant!, $connectionId: ID!, $day: String!, $lastDay: String, $model: String, $unit: String) {
  billDifferences(filter: $filter, first: 500) {
    nodes { day lastDay model unit unknownCurrency billed own difference unexplained billedQuantity ownQuantity unreadNames causes { cause amount detail } }
  }
  billDays(start: $start, end: $end, connectionId: $connectionId) {
    day lastDay fixes { id kind model unit note appliedAt }
  }
  billFixPropose(connectionId: $connectionId, day: $day, lastDay: $lastDay, model: $model, unit: $unit) { kind title amount scope cause tokenClass pricePerMillion }
}`);
const APPLY = graphql(`mutation ApplyBillFix($input: BillFixApplyInput!) {
  billFixApply(input: $input) {
    application { difference explained remaining bookedChange fix { id operationId } } userErrors { message code }
  }
}`);
const REVERT = graphql(
  `mutation RevertBillFix($id: ID!) { billFixRevert(input: { id: $id }) { fix { id } userErrors { message code } } }`,
);

const PATH = '/books/bills/difference';
const KINDS = ['ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT', 'ADJUST'] as const;

type Input = VariablesOf<'ApplyBillFix'>['input'];
type Page = DataOf<'BillDifferencePage'>;
type Effect = NonNullable<DataOf<'ApplyBillFix'>['billFixApply']['application']>;

interface Shown {
  readonly connection: string;
  readonly day: string;
  readonly lastDay: string;
  readonly model: string | null;
  readonly unit: string | null;
}

export function billDifferencePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError, preview?: Html): Promise<FastifyReply> => {
    const shown = shownOf(signedIn);
    const { connection: connectionId, day, lastDay, model, unit } = shown;
    const start =
      (isDay(day) ? `${day}T00:00:00.000Z` : null) ?? fail('VALIDATION_ERROR', 'Choose a day, for example 2026-10-07.');
    const end = daysLater(new Date(start), 1).toISOString();
    const { value, error: unread } = await outcomeOf(
      askGateway(
        gateway,
        DIFFERENCE,
        { filter: { start, end, connectionId }, start, end, connectionId, day, lastDay, model, unit },
        signedIn.principal,
      ),
    );
    const failure = error ?? unread ?? undefined;
    return sendFramed(signedIn, {
      title: 'Difference',
      error: failure?.message,
      ...(failure ? { status: ERROR_TABLE[failure.code].status } : {}),
      body: html`
${booksHeading(signedIn.principal, 'Do the books match?', '/books/bills')}
<p class="lead">${model ?? unit ?? 'Lines without a model'}, ${formatDate(day)}. <a href="/books/bills?month=${day.slice(0, 7)}">Back to the month</a></p>
${preview ?? false}
${value !== null && differenceOf(signedIn, shown, value)}`,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  for (const step of ['preview', 'apply'] as const)
    pages.post(
      `${PATH}/${step}`,
      withSession(dependencies, async (signedIn) => {
        const dryRun = step === 'preview';
        const input = { ...inputOf(signedIn), dryRun };
        const { value, error } = await outcomeOf(askGateway(gateway, APPLY, { input }, signedIn.principal));
        if (error) return render(signedIn, error);
        if (dryRun) return render(signedIn, undefined, previewOf(signedIn, input, value.billFixApply.application!));
        return signedIn.reply.redirect(`/books/bills?month=${input.day.slice(0, 7)}&done=bill-fix-applied`, 303);
      }),
    );

  pages.post(
    `${PATH}/revert`,
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(
        askGateway(gateway, REVERT, { id: billField(signedIn, 'id') }, signedIn.principal),
      );
      if (error) return render(signedIn, error);
      return signedIn.reply.redirect(
        `/books/bills?month=${shownOf(signedIn).day.slice(0, 7)}&done=bill-fix-reverted`,
        303,
      );
    }),
  );
}

/** A form field, or the parameter of the address. */
function billField(signedIn: SignedIn, name: string): string {
  return field(signedIn.form, name) || (queryOf(signedIn.request).get(name) ?? '');
}

function shownOf(signedIn: SignedIn): Shown {
  const day = billField(signedIn, 'day');
  return {
    connection: billField(signedIn, 'connection'),
    day,
    lastDay: billField(signedIn, 'lastDay') || day,
    model: billField(signedIn, 'model') || null,
    unit: billField(signedIn, 'unit') || null,
  };
}

function inputOf(signedIn: SignedIn): Input {
  const { connection: connectionId, ...shown } = shownOf(signedIn);
  const optional = (name: string) => billField(signedIn, name) || null;
  return {
    connectionId,
    ...shown,
    kind: KINDS.find((kind) => kind === billField(signedIn, 'kind')) ?? 'ACCEPT',
    scope: optional('scope'),
    cause: optional('cause') === 'NOT_TRACKED' ? 'NOT_TRACKED' : null,
    tokenClass: optional('tokenClass'),
    note: optional('note'),
  };
}

function hidden(fields: Readonly<Record<string, string | null | undefined>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) =>
      value !== null && value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;
}

function differenceOf(signedIn: SignedIn, shown: Shown, page: Page): Html {
  const { billDifferences, billFixPropose } = page;
  const difference = billDifferences.nodes.find(
    ({ day, lastDay, model, unit }) =>
      day === shown.day && lastDay === shown.lastDay && model === shown.model && unit === shown.unit,
  );
  if (difference === undefined)
    return html`<p class="panel empty">The bill and the books agree.</p>${appliedFixes(signedIn, shown, page)}`;
  const isOwner = signedIn.principal.grants.includes('owner');
  return html`
<dl class="panel facts">
  <div><dt>Billed</dt><dd>${billAmount(difference.billed)}</dd></div>
  <div><dt>Books</dt><dd>${difference.own === null ? 'not known' : billAmount(difference.own)}</dd></div>
  <div><dt>Difference</dt><dd>${difference.difference !== null ? billAmount(difference.difference) : difference.unknownCurrency === null ? 'not known' : `not known: billed in ${difference.unknownCurrency}, at an unknown exchange rate`}</dd></div>
  <div><dt>Unexplained</dt><dd>${difference.unexplained === null ? 'not known' : billAmount(difference.unexplained)}</dd></div>
</dl>
<div class="panel scroll" tabindex="0" role="region" aria-label="Causes"><table class="fold">
  <caption class="unseen">Causes</caption>
  <thead><tr><th scope="col">Cause</th><th scope="col" class="number">Share</th><th scope="col">Detail</th></tr></thead>
  <tbody>${difference.causes.map(
    ({ cause, amount, detail }) =>
      html`<tr><th scope="row">${causeName(cause)}</th><td class="number" data-label="Share">${billAmount(amount)}</td><td>${detail}</td></tr>`,
  )}</tbody>
</table></div>
${
  difference.unreadNames.length > 0 &&
  html`<section class="panel stack" aria-labelledby="unread"><h2 id="unread">Lines that are not understood</h2>
  <p>They count towards the total of the day, but are not compared by model.</p>
  <ul class="plain">${difference.unreadNames.map((name) => html`<li><code>${name}</code></li>`)}</ul></section>`
}
${appliedFixes(signedIn, shown, page)}
${
  isOwner &&
  billFixPropose.length > 0 &&
  html`<section class="panel stack" aria-labelledby="fixes"><h2 id="fixes">What you can do</h2>
  ${billFixPropose.map(
    ({ kind, title, amount, scope, cause, tokenClass }) => html`
  <form class="stack" method="post" action="${PATH}/preview">${csrfField(signedIn.csrf)}${hidden({ ...shown, kind, scope, cause, tokenClass })}
    <p>${title} <span class="muted">(${billAmount(amount)})</span></p>
    ${(kind === 'ACCEPT' || kind === 'ADJUST') && html`<label>Note <input name="note" required maxlength="500"></label>`}
    <button class="secondary">Preview</button></form>`,
  )}
</section>`
}`;
}

function appliedFixes(signedIn: SignedIn, shown: Shown, { billDays }: Page): Html {
  const fixes = billDays
    .filter(({ day, lastDay }) => day === shown.day && lastDay === shown.lastDay)
    .flatMap((day) => day.fixes)
    .filter(({ model, unit }) => model === shown.model && unit === shown.unit);
  return html`${fixes.map(
    ({ id, kind, note, appliedAt }) => html`
<div class="panel stack"><p>${FIX_NAMES[kind]} on ${formatInstant(appliedAt)}${note !== '' && html`: ${note}`}</p>${
      signedIn.principal.grants.includes('owner') &&
      html`<form method="post" action="${PATH}/revert">${csrfField(signedIn.csrf)}${hidden({ ...shown, id })}<button class="secondary">Revert</button></form>`
    }</div>`,
  )}`;
}

function previewOf(signedIn: SignedIn, input: Input, effect: Effect): Html {
  const { difference, explained, remaining, bookedChange } = effect;
  const { connectionId: connection, dryRun: _, ...fields } = input;
  return html`
<form class="panel stack" method="post" action="${PATH}/apply">${csrfField(signedIn.csrf)}${hidden({ connection, ...fields })}
  <p>The difference is ${billAmount(difference)}. This explains ${billAmount(explained)} of it and leaves ${billAmount(remaining)}.${input.kind === 'RATE' && ' The rate applies from this day on, and costs since then are repriced.'}${typeof bookedChange === 'string' && html` The discount applies from this day on. Booked costs since then change by ${billAmount(bookedChange)}; the part of closed months is booked in the first open one.`}</p>
  <button>Apply</button></form>`;
}
