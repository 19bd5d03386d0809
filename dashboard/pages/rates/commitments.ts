/**
 * `/rates/commitments`: amounts agreed to be spent with providers: spent, left, and how the current period is expected
 * to end.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount } from '../../figures/amount.ts';
import { dateField } from '../../figures/window-choice.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, names, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { ratesHeading } from './rates-tabs.ts';

const COMMITMENTS = graphql(`query CommitmentsPage {
  commitments {
    id name provider models amount period from until current { from until }
    periods { from until spent left shortfall fulfilledOn forecast { fulfilledOn missedBy } }
  }
}`);
const PROPOSE = graphql(`query ProposeCommitment($input: CommitmentSaveInput!) {
  commitmentProposal(input: $input) { periods { from until spent left shortfall fulfilledOn forecast { fulfilledOn missedBy } } }
}`);
const SAVE = graphql(`mutation SaveCommitment($input: CommitmentSaveInput!) {
  commitmentSave(input: $input) { userErrors { message code } }
}`);
const REMOVE = graphql(`mutation RemoveCommitment($id: ID!) {
  commitmentRemove(input: { id: $id }) { userErrors { message code } }
}`);

const PATH = '/rates/commitments';
const FIELDS = ['id', 'provider', 'name', 'amount', 'period', 'models', 'from', 'until'] as const;
const PERIODS = {
  MONTH: { label: 'Each month', words: 'each month' },
  QUARTER: { label: 'Each quarter', words: 'each quarter' },
  YEAR: { label: 'Each year', words: 'each year' },
  TERM: { label: 'From the first day to the last', words: 'in total' },
} as const;

type Commitment = DataOf<'CommitmentsPage'>['commitments'][number];
type Period = Commitment['periods'][number];
type Input = VariablesOf<'SaveCommitment'>['input'];

export function commitmentPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const { commitments } = await askGateway(gateway, COMMITMENTS, {}, signedIn.principal);
    const mayChange = isAdmin(signedIn.principal);
    const edited = commitments.find(({ id }) => id === field(queryOf(signedIn.request), 'edit'));
    const body = html`
${ratesHeading('Commitments', PATH)}
<p class="lead">Amounts that you agreed to spend with providers. Contracted costs count towards them, day by day. A shortfall at the end of a period is a cost of the company; it does not change the cost of a call or a customer. Days are UTC and settle two hours after they end.</p>
${commitments.length === 0 ? html`<p class="panel empty">No commitments.</p>` : html`<ul class="rows">${commitments.map((commitment) => commitmentItem(signedIn, commitment, mayChange))}</ul>`}
${mayChange && commitmentForm(signedIn, error === undefined && edited !== undefined ? typedOf(edited) : typed)}`;
    return sendFramed(signedIn, { title: 'Commitments', ...refusalOf(error), body });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    `${PATH}/preview`,
    withSession(dependencies, async (signedIn) => {
      const input = inputOf(signedIn.form);
      const { value, error } = await outcomeOf(askGateway(gateway, PROPOSE, { input }, signedIn.principal));
      return error ? render(signedIn, signedIn.form, error) : preview(signedIn, value.commitmentProposal.periods);
    }),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, SAVE, { input: inputOf(form) }, principal));
      return error ? render(signedIn, form, error) : reply.redirect(`${PATH}?done=commitment-saved`, 303);
    }),
  );

  pages.post(
    `${PATH}/remove`,
    withSession(dependencies, async (signedIn) => {
      const variables = { id: field(signedIn.form, 'id') };
      const { error } = await outcomeOf(askGateway(gateway, REMOVE, variables, signedIn.principal));
      return error
        ? render(signedIn, undefined, error)
        : signedIn.reply.redirect(`${PATH}?done=commitment-removed`, 303);
    }),
  );
}

function commitmentItem({ csrf }: SignedIn, commitment: Commitment, mayChange: boolean): Html {
  const { id, name, provider, models, amount, period, from, until, current, periods } = commitment;
  return html`
<li class="panel stack">
  <h2 class="name">${name} <span class="muted">${provider}</span> <span class="badge${current !== null && ' good'}">${current === null ? 'not in force' : 'in force'}</span></h2>
  <p>${exactAmount(amount)} ${PERIODS[period].words} from ${formatDate(from)}${until !== null && html` until ${formatDate(until)}`} <span class="muted">(UTC)</span>, for ${models === null ? 'all models' : models.join(', ')}</p>
  ${periodTable(periods, `Periods of ${name}`)}
  ${
    mayChange &&
    html`<form method="post" action="${PATH}/remove">${csrfField(csrf)}
    <div class="actions"><a href="${PATH}?${new URLSearchParams({ edit: id }).toString()}#commitment" aria-label="Change ${name}">Change</a>
    <button class="secondary" name="id" value="${id}" aria-label="Remove ${name}">Remove</button></div></form>`
  }
</li>`;
}

function periodTable(periods: readonly Period[], label: string): Html {
  if (periods.length === 0) return html`<p class="muted">It has not begun.</p>`;
  return html`
  <div class="scroll" tabindex="0" role="group" aria-label="${label}"><table class="fold">
    <thead><tr><th scope="col">Period</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Left</th><th scope="col" class="number">Shortfall</th><th scope="col">Outcome</th></tr></thead>
    <tbody>${periods.map(
      (period) => html`
      <tr><th scope="row">${formatDate(period.from)} until ${formatDate(period.until)}</th><td class="number" data-label="Spent">${exactAmount(period.spent)}</td><td class="number" data-label="Left">${exactAmount(period.left)}</td><td class="number" data-label="Shortfall">${exactAmount(period.shortfall)}</td><td data-label="Outcome">${outcomeWords(period)}</td></tr>`,
    )}</tbody>
  </table></div>`;
}

function outcomeWords({ fulfilledOn, forecast, shortfall }: Period): Html | string {
  if (fulfilledOn !== null) return html`Fulfilled on ${formatDate(fulfilledOn)}`;
  if (shortfall !== '0') return 'Missed';
  if (forecast === null) return '';
  return forecast.fulfilledOn === null
    ? html`Would be missed by ${exactAmount(forecast.missedBy)}`
    : html`Would be fulfilled on ${formatDate(forecast.fulfilledOn)}`;
}

function commitmentForm({ csrf }: SignedIn, typed: URLSearchParams): Html {
  const text = (name: (typeof FIELDS)[number], label: Html, attributes: Html | false = false) => html`
    <label>${label} <input name="${name}" value="${field(typed, name)}" maxlength="255" autocomplete="off"${attributes}></label>`;
  const id = field(typed, 'id');
  return html`
<section class="panel stack" aria-labelledby="commitment"><h2 id="commitment">${id === '' ? 'Add a commitment' : 'Change the commitment'}</h2>
  <form class="stack" method="post" action="${PATH}/preview">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
    <div class="fields">
      ${text('name', html`Name`, html` required`)}
      ${text('provider', html`Provider`, html` required`)}
      ${text('amount', html`Amount, USD`, html` required inputmode="decimal"`)}
      <label>Period <select name="period">${Object.entries(PERIODS).map(
        ([value, { label }]) => html`
        <option value="${value}"${field(typed, 'period') === value && ' selected'}>${label}</option>`,
      )}</select></label>
    </div>
    <div class="fields">
      ${text('models', html`Models <span class="muted">(such as gpt-*; empty: all)</span>`)}
    </div>
    <div class="fields">
      ${dateField('from', html`From <span class="muted">(UTC)</span>`, field(typed, 'from'), { isRequired: true })}
      ${dateField('until', html`Until <span class="muted">(UTC, not included; empty: no end)</span>`, field(typed, 'until'))}
    </div>
    <div class="actions"><button>Preview</button>${id !== '' && html` <a href="${PATH}">Cancel</a>`}</div>
  </form>
</section>`;
}

function preview(signedIn: SignedIn, periods: readonly Period[]): FastifyReply {
  const { csrf, form } = signedIn;
  const hidden = FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${field(form, name)}">`);
  const body = html`
<p class="crumbs"><a href="${PATH}">Commitments</a></p>
<h1>${field(form, 'name')}</h1>
<section class="panel stack" aria-labelledby="effect"><h2 id="effect">Preview</h2>
  <p>The result of the commitment for the days so far. Shortfalls are booked when the commitment is saved.</p>
  ${periodTable(periods, 'Periods')}
  <form class="stack" method="post" action="${PATH}">${csrfField(csrf)}${hidden}
    <div class="actions"><button>Save</button> <a href="${PATH}">Cancel</a></div></form>
</section>`;
  return sendFramed(signedIn, { title: 'Commitments', body });
}

function typedOf({ id, provider, name, amount, period, models, from, until }: Commitment): URLSearchParams {
  const values = { id, provider, name, amount, period, models: models?.join(', ') ?? '', from, until: until ?? '' };
  return new URLSearchParams(values);
}

function inputOf(form: URLSearchParams): Input {
  const [id, until] = [field(form, 'id'), field(form, 'until')];
  const models = names(form, 'models');
  const period = field(form, 'period');
  return {
    provider: field(form, 'provider'),
    name: field(form, 'name'),
    amount: field(form, 'amount'),
    period: period === 'QUARTER' || period === 'YEAR' || period === 'TERM' ? period : 'MONTH',
    from: field(form, 'from'),
    ...(id !== '' && { id }),
    ...(until !== '' && { until }),
    ...(models.length > 0 && { models }),
  };
}
