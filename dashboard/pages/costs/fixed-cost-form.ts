/** `/costs/fixed/entry`: a form that adds, changes or ends a fixed cost, with a preview before it is saved. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { usdText } from '#kernel/usd-text.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { exactAmount, formatCount } from '../../figures/amount.ts';
import { dateField } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { DRIVERS, hasComma, inputOf, periodNames, periodsOf, RATE_UNITS, TERMS, typedOf } from './fixed-cost-fields.ts';

const FIXED_COST = graphql(`query FixedCostForm($key: String!) {
  fixedCost(key: $key) {
    key name provider driver unit capacityPerDay replacesModelCost weights { class weight }
    scope { models endUsers dimensions { key values } } shares { endUser percent }
    periods { from until amount per quantity }
  }
}`);
const PREVIEW =
  graphql(`query PreviewFixedCost($input: FixedCostSaveInput!, $key: String!, $start: Instant!, $end: Instant!) {
  fixedCostPreview(input: $input, start: $start, end: $end, first: 20) {
    total allocated unassigned idle unallocated replacedCost endUsers { endUser { name } amount } endUserCount
  }
  fixedCost(key: $key) { name }
}`);
const SAVE = graphql(`mutation SaveFixedCost($input: FixedCostSaveInput!) {
  fixedCostSave(input: $input) { userErrors { message code } }
}`);
const END = graphql(`mutation EndFixedCost($input: FixedCostEndInput!) {
  fixedCostEnd(input: $input) { userErrors { message code } }
}`);

const PATH = '/costs/fixed';
const ENTRY = `${PATH}/entry`;
const PREVIEW_DAYS = 30;

const MODEL_COSTS = { no: 'are paid as well', yes: 'are replaced by this cost' };

type Preview = DataOf<'PreviewFixedCost'>;

export function fixedCostForm(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const mayChange = isAdmin(signedIn.principal);
    const isChange = field(typed, 'editing') !== '';
    const title = isChange ? 'Change a fixed cost' : 'Add a fixed cost';
    const body = html`
<p class="crumbs"><a href="${PATH}">Fixed costs</a></p>
<h1>${title}</h1>
<p class="lead">Seats, GPU hours, provisioned throughput, support: what is paid whether it is used or not. Each UTC day’s amount is divided among the customers who used it.</p>
${mayChange ? termsForm(signedIn, typed) : html`<p class="panel empty">Only owners and admins may change fixed costs.</p>`}
${mayChange && isChange && endForm(signedIn, field(typed, 'editing'))}`;
    return sendFramed(signedIn, { title, ...refusalOf(error), body });
  };

  pages.get(
    ENTRY,
    withSession(dependencies, async (signedIn) => {
      const key = field(queryOf(signedIn.request), 'key');
      if (key === '') return render(signedIn);
      const { fixedCost } = await askGateway(gateway, FIXED_COST, { key }, signedIn.principal);
      if (fixedCost === null) return signedIn.reply.redirect(ENTRY, 303);
      const error = hasComma(fixedCost)
        ? new KnownError(
            'VALIDATION_ERROR',
            'This form cannot show names with commas: change the fixed cost with the mutation fixedCostSave',
          )
        : undefined;
      return render(signedIn, typedOf(fixedCost), error);
    }),
  );

  pages.post(
    `${ENTRY}/preview`,
    withSession(dependencies, async (signedIn) => {
      const input = inputOf(signedIn.form);
      const today = now().toISOString().slice(0, 10);
      const { value, error } = await outcomeOf(
        askGateway(
          gateway,
          PREVIEW,
          {
            input,
            key: input.key,
            start: `${addDays(today, -PREVIEW_DAYS)}T00:00:00.000Z`,
            end: `${today}T00:00:00.000Z`,
          },
          signedIn.principal,
        ),
      );
      return error ? render(signedIn, signedIn.form, error) : sendPreview(signedIn, value);
    }),
  );

  pages.post(
    ENTRY,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { error } = await outcomeOf(askGateway(gateway, SAVE, { input: inputOf(form) }, principal));
      return error ? render(signedIn, form, error) : reply.redirect(`${PATH}?done=fixed-cost-saved`, 303);
    }),
  );

  pages.post(
    `${ENTRY}/end`,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const input = { key: field(form, 'key'), until: field(form, 'until') };
      const { error } = await outcomeOf(askGateway(gateway, END, { input }, principal));
      if (!error) return reply.redirect(`${PATH}?done=fixed-cost-ended`, 303);
      const { fixedCost } = await askGateway(gateway, FIXED_COST, { key: input.key }, principal);
      return render(signedIn, fixedCost === null ? new URLSearchParams() : typedOf(fixedCost), error);
    }),
  );
}

function termsForm({ csrf }: SignedIn, typed: URLSearchParams): Html {
  const text = (name: string, label: Html | string, attributes: Html | false = false) => html`
      <label>${label} <input name="${name}" value="${field(typed, name)}" autocomplete="off"${attributes}></label>`;
  const choice = (name: string, label: string, options: Readonly<Record<string, string>>) => html`
      <label>${label} <select name="${name}">${Object.entries(options).map(([value, words]) => html`<option value="${value}"${field(typed, name) === value && html` selected`}>${words}</option>`)}</select></label>`;
  const editing = field(typed, 'editing');
  return html`
<section class="panel stack" aria-labelledby="terms"><h2 id="terms">Terms</h2>
  <form class="stack" method="post" action="${ENTRY}/preview">${csrfField(csrf)}<input type="hidden" name="editing" value="${editing}">
    <div class="fields">
      ${text('key', html`Key <span class="muted">(such as gpu-pool)</span>`, html` required maxlength="64"${editing !== '' && html` readonly`}`)}
      ${text('name', 'Name', html` required maxlength="255"`)}
      ${text('provider', html`Paid to <span class="muted">(optional)</span>`, html` maxlength="255"`)}
    </div>
    <div class="fields">
      ${choice('driver', 'Divided by', DRIVERS)}
      ${text('unit', html`Unit <span class="muted">(for units, such as gpu_seconds)</span>`)}
      ${choice('replacesModelCost', 'Token prices of these calls', MODEL_COSTS)}
      ${text('capacityPerDay', html`Capacity per day <span class="muted">(unused capacity is shown as idle; if empty, idle is unknown)</span>`, html` inputmode="decimal"`)}
    </div>
    <div class="fields">
      ${text('models', html`Models <span class="muted">(separated by commas, such as gpt-*; empty: all)</span>`)}
      ${text('endUsers', html`Customers <span class="muted">(separated by commas; empty: all)</span>`)}
      ${text('dimensions', html`Other conditions <span class="muted">(such as feature=chat, feature=search)</span>`)}
    </div>
    <div class="fields">
      ${text('weights', html`Weights of token classes <span class="muted">(for tokens, such as output=4, cache_read=0.1)</span>`)}
      ${text('shares', html`Shares in percent <span class="muted">(for fixed shares, such as acme=60, globex=40)</span>`)}
    </div>
    ${periodsOf(typed).map((_, index) => {
      const names = periodNames(index);
      return html`<fieldset class="fields"><legend>${index === 0 ? 'What it costs' : 'From another day on'}</legend>
      ${text(names.amount, 'Amount, USD', html` inputmode="decimal"${index === 0 && html` required`}`)}
      ${choice(names.per, 'Per', RATE_UNITS)}
      ${text(names.quantity, html`Pieces <span class="muted">(empty: 1)</span>`, html` inputmode="decimal"`)}
      ${dateField(names.from, html`From <span class="muted">(UTC)</span>`, field(typed, names.from), { isRequired: index === 0 })}
      ${dateField(names.until, html`Until <span class="muted">(not included; empty: no end)</span>`, field(typed, names.until))}
    </fieldset>`;
    })}
    <div class="actions"><button>Preview</button> <a href="${PATH}">Cancel</a></div>
  </form>
</section>`;
}

function endForm({ csrf }: SignedIn, key: string): Html {
  return html`
<section class="panel stack" aria-labelledby="end"><h2 id="end">End it</h2>
  <p class="muted">Amounts allocated to that day and later are reversed by new entries. Ending it on its first day reverses everything.</p>
  <form class="stack" method="post" action="${ENTRY}/end">${csrfField(csrf)}<input type="hidden" name="key" value="${key}">
    <div class="fields">${dateField('until', html`First day on which it is no longer paid <span class="muted">(UTC)</span>`, '', { isRequired: true })}</div>
    <div class="actions"><button class="secondary">End</button></div>
  </form>
</section>`;
}

function sendPreview(signedIn: SignedIn, { fixedCostPreview: preview, fixedCost }: Preview): FastifyReply {
  const { csrf, form } = signedIn;
  const hidden = [...TERMS, ...periodsOf(form).flatMap((_, index) => Object.values(periodNames(index)))].map(
    (name) => html`<input type="hidden" name="${name}" value="${field(form, name)}">`,
  );
  const others = [
    ['Events without a customer', preview.unassigned],
    ['Idle', preview.idle],
    ['Unallocated', preview.unallocated],
  ] as const;
  const isNewKey = field(form, 'editing') === '' && fixedCost !== null;
  const body = html`
<p class="crumbs"><a href="${PATH}">Fixed costs</a></p>
<h1>${field(form, 'name')}</h1>
${isNewKey && html`<p class="alert" role="alert">A fixed cost with this key already exists: ${fixedCost.name}. Saving replaces its terms.</p>`}
<section class="panel stack" aria-labelledby="effect"><h2 id="effect">Preview of the last ${PREVIEW_DAYS} days</h2>
  ${preview.endUserCount > preview.endUsers.length && html`<p class="muted">The ${formatCount(preview.endUsers.length)} of ${formatCount(preview.endUserCount)} customers with the largest shares.</p>`}
  <div class="scroll" tabindex="0" role="group" aria-labelledby="effect"><table>
    <thead><tr><th scope="col">Customer</th><th scope="col" class="number">Share</th></tr></thead>
    <tbody>${preview.endUsers.map(
      ({ endUser, amount }) => html`
      <tr><th scope="row" class="name">${endUser.name}</th><td class="number">${exactAmount(amount)}</td></tr>`,
    )}${others
      .filter(([, amount]) => amount !== '0')
      .map(
        ([label, amount]) => html`
      <tr><th scope="row" class="name"><span class="muted">${label}</span></th><td class="number">${exactAmount(amount)}</td></tr>`,
      )}</tbody>
    <tfoot><tr><th scope="row">Total</th><td class="number">${exactAmount(preview.total)}</td></tr></tfoot>
  </table></div>
  ${preview.replacedCost !== '0' && html`<p>The margin after fixed costs would leave out ${usdText(preview.replacedCost)} of model costs, which this fixed cost replaces.</p>`}
  <form class="stack" method="post" action="${ENTRY}">${csrfField(csrf)}${hidden}
    <div class="actions"><button>Save</button> <a href="${PATH}">Cancel</a></div></form>
</section>`;
  return sendFramed(signedIn, { title: 'Fixed costs', body });
}
