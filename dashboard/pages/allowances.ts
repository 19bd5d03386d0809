/** `/allowances`: what customers, agents and the organization may spend, with forms to add, top up and remove. */
import type { FastifyInstance } from 'fastify';
import { amount as toAmount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { usdText } from '#kernel/usd-text.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { randomUuid } from '#platform/random.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { isAdmin } from '../figures/account-user.ts';
import { exactAmount, formatCount, formatPercent } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import { shareBar } from '../figures/tables.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const ALLOWANCES = graphql(`query AllowancesPage($after: String) {
  allowances(first: 100, after: $after) {
    nodes { id subject subjectId endUser { externalId name } period policy amount held spent left usedPercent openHolds }
    pageInfo { hasNextPage endCursor }
  }
  holds(first: 20, filter: { state: DENIED }) { nodes { id endUser { externalId name } agent model amount openedAt } }
}`);
const SAVE = graphql(`mutation SaveAllowance($input: AllowanceSaveInput!) {
  allowanceSave(input: $input) { userErrors { message code } }
}`);
const TOP_UP = graphql(`mutation TopUpAllowance($input: AllowanceTopUpInput!) {
  allowanceTopUp(input: $input) { userErrors { message code } }
}`);
const REMOVE = graphql(`mutation RemoveAllowance($id: ID!) {
  allowanceRemove(input: { id: $id }) { userErrors { message code } }
}`);

const PATH = '/allowances';
const SUBJECTS = { END_USER: 'Customer', AGENT: 'Agent', ORGANIZATION: 'Organization' } as const;
const PERIODS = { DAY: 'per day', MONTH: 'per month', PREPAID: 'prepaid' } as const;
const POLICIES = { DENY: 'refuse calls', WARN: 'only warn' } as const;

type Data = DataOf<'AllowancesPage'>;
type Allowance = Data['allowances']['nodes'][number];
type Refusal = Data['holds']['nodes'][number];
type Input = VariablesOf<'SaveAllowance'>['input'];

export function allowancePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const after = queryOf(signedIn.request).get('after');
    const { allowances, holds } = await askGateway(gateway, ALLOWANCES, { after }, signedIn.principal);
    const mayChange = isAdmin(signedIn.principal);
    const { hasNextPage, endCursor } = allowances.pageInfo;
    const body = html`
<p class="crumbs"><a href="/costs">Costs</a></p>
<h1>Allowances</h1>
<p class="lead">Spending limits per UTC day or month, or prepaid. Your code asks before a call with <code>POST /ext/v1/holds</code>; the cost of its event then replaces the hold.</p>
${allowances.nodes.length === 0 ? html`<p class="panel empty">No allowances: every call is allowed.</p>` : table(signedIn, allowances.nodes, mayChange)}
${hasNextPage && html`<p><a href="${PATH}?${new URLSearchParams({ after: endCursor ?? '' }).toString()}">Next page</a></p>`}
${holds.nodes.length > 0 && refusals(holds.nodes)}
${mayChange && allowanceForm(signedIn, typed)}`;
    return sendFramed(signedIn, {
      title: 'Allowances',
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
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, SAVE, { input: inputOf(form) }, principal));
      return error ? render(signedIn, form, error) : reply.redirect(`${PATH}?done=allowance-saved`, 303);
    }),
  );

  pages.post(
    `${PATH}/top-up`,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const input = {
        allowanceId: field(form, 'id'),
        amount: field(form, 'amount'),
        idempotencyKey: field(form, 'key'),
      };
      const { error } = await outcomeOf(askGateway(gateway, TOP_UP, { input }, principal));
      return error ? render(signedIn, undefined, error) : reply.redirect(`${PATH}?done=allowance-topped-up`, 303);
    }),
  );

  pages.post(
    `${PATH}/remove`,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, REMOVE, { id: field(form, 'id') }, principal));
      return error ? render(signedIn, undefined, error) : reply.redirect(`${PATH}?done=allowance-removed`, 303);
    }),
  );
}

function table(signedIn: SignedIn, allowances: readonly Allowance[], mayChange: boolean): Html {
  return html`
<section class="panel" aria-labelledby="all"><h2 id="all">Current periods</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="all"><table class="fold"><thead><tr><th scope="col">For</th><th scope="col" class="number">Allowance</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Held</th><th scope="col" class="number">Left</th><th scope="col">When used up</th>${mayChange && html`<th scope="col" class="unprinted">Change</th>`}</tr></thead>
<tbody>${allowances.map((allowance) => row(signedIn, allowance, mayChange))}</tbody></table></div>
</section>`;
}

function row({ csrf }: SignedIn, allowance: Allowance, mayChange: boolean): Html {
  const { id, period, policy, amount, spent, held, left, openHolds } = allowance;
  const usedPercent = percent(toAmount(spent), toAmount(amount));
  const name = nameOf(allowance);
  return html`<tr><th scope="row" class="name">${name} <span class="muted">${[...idBeside(allowance.endUser), PERIODS[period]].join(', ')}</span></th>
  <td class="number" data-label="Allowance">${exactAmount(amount)}</td>
  <td class="number${usedPercent !== null && usedPercent >= 100 && ' exceeded'}" data-label="Spent">${exactAmount(spent)}${usedPercent !== null && html` <span class="muted">${formatPercent(usedPercent)}</span>${shareBar(usedPercent)}`}</td>
  <td class="number" data-label="Held">${exactAmount(held)}${openHolds > 0 && html` <span class="muted">${formatCount(openHolds)} ${openHolds === 1 ? 'call' : 'calls'}</span>`}</td>
  <td class="number" data-label="Left">${exactAmount(left)}${left.startsWith('-') && html` <span class="badge bad">used up</span>`}</td>
  <td data-label="When used up">${POLICIES[policy]}</td>
  ${
    mayChange &&
    html`<td class="unprinted">${
      period === 'PREPAID' &&
      html`<form class="inline" method="post" action="${PATH}/top-up">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="key" value="page-${randomUuid()}">
      <input name="amount" inputmode="decimal" required aria-label="Amount to add for ${name}, in USD" placeholder="USD" size="8" autocomplete="off"> <button class="quiet" aria-label="Top up ${name}">Top up</button></form>`
    }<form class="inline" method="post" action="${PATH}/remove">${csrfField(csrf)}<button class="quiet" name="id" value="${id}" aria-label="Remove the allowance of ${name} ${PERIODS[period]}">Remove</button></form></td>`
  }</tr>`;
}

function nameOf({ subject, subjectId, endUser }: Allowance): string {
  return subject === 'ORGANIZATION' ? SUBJECTS[subject] : `${SUBJECTS[subject]} ${endUser?.name ?? subjectId}`;
}

/** The id of a customer whose name differs from it. */
function idBeside(endUser: Allowance['endUser']): readonly string[] {
  return endUser === null || endUser.name === endUser.externalId ? [] : [endUser.externalId];
}

function refusals(denied: readonly Refusal[]): Html {
  return html`
<section class="panel" aria-labelledby="refused"><h2 id="refused">Refused in the last 24 hours</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="refused"><table class="fold"><thead><tr><th scope="col">Time</th><th scope="col">Customer</th><th scope="col">Agent</th><th scope="col">Model</th><th scope="col" class="number">Maximum cost</th></tr></thead>
<tbody>${denied.map(
    ({ endUser, agent, model, amount, openedAt }) =>
      html`<tr><th scope="row">${formatInstant(openedAt)}</th><td data-label="Customer">${endUser === null ? '–' : html`${endUser.name}${idBeside(endUser).map((id) => html` <span class="muted">${id}</span>`)}`}</td><td data-label="Agent">${agent ?? '–'}</td><td data-label="Model">${model ?? '–'}</td><td class="number" data-label="Maximum cost">${usdText(amount)}</td></tr>`,
  )}</tbody></table></div>
</section>`;
}

function allowanceForm({ csrf }: SignedIn, typed: URLSearchParams): Html {
  const choice = (name: string, label: string, options: Readonly<Record<string, string>>) => html`
      <label>${label} <select name="${name}">${Object.entries(options).map(([value, text]) => html`<option value="${value}"${field(typed, name) === value && html` selected`}>${text}</option>`)}</select></label>`;
  return html`
<section class="panel stack" aria-labelledby="add"><h2 id="add">Add or change an allowance</h2>
  <p class="muted">There is one allowance for each subject and period. A new one includes what was spent since its period began; a prepaid one starts at $0 and is topped up.</p>
  <form class="stack" method="post" action="${PATH}">${csrfField(csrf)}
    <div class="fields">
      ${choice('subject', 'For', SUBJECTS)}
      <label>ID <span class="muted">(user_id or agent_id; empty for the organization)</span> <input name="subjectId" value="${field(typed, 'subjectId')}" maxlength="255" autocomplete="off"></label>
    </div>
    <div class="fields">
      ${choice('period', 'Period', PERIODS)}
      <label>Amount in USD <span class="muted">(empty if prepaid)</span> <input name="amount" value="${field(typed, 'amount')}" inputmode="decimal" autocomplete="off"></label>
      ${choice('policy', 'When used up', POLICIES)}
    </div>
    <div class="actions"><button>Save</button></div>
  </form>
</section>`;
}

function inputOf(form: URLSearchParams): Input {
  const optional = (name: 'subjectId' | 'amount') => (field(form, name) === '' ? {} : { [name]: field(form, name) });
  return {
    subject: oneOf(SUBJECTS, field(form, 'subject'), 'END_USER'),
    period: oneOf(PERIODS, field(form, 'period'), 'DAY'),
    policy: oneOf(POLICIES, field(form, 'policy'), 'DENY'),
    ...optional('subjectId'),
    ...optional('amount'),
  };
}

function oneOf<Names extends object>(names: Names, typed: string, otherwise: keyof Names): keyof Names {
  return Object.hasOwn(names, typed) ? (typed as keyof Names) : otherwise;
}
