/** `/alerts/statements`: which channels receive a statement for each week or month. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';

const SCHEDULES = graphql(`query StatementSchedules {
  statementSchedules { period channelIds nextPeriodStart nextAt }
  alertChannels { id name target isEnabled problem }
}`);
const SET = graphql(`mutation SetStatementSchedule($input: StatementScheduleSetInput!) {
  outcome: statementScheduleSet(input: $input) { statementSchedule { period } userErrors { message } }
}`);

type Schedules = DataOf<'StatementSchedules'>;

const PATH = '/alerts/statements';
const PERIODS = {
  WEEK: { label: 'Weekly', each: 'every Monday at 06:00 UTC' },
  MONTH: { label: 'Monthly', each: 'on the first of every month at 06:00 UTC' },
} as const;
type Period = keyof typeof PERIODS;

export function statementSchedulePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: string): Promise<FastifyReply> => {
    const schedules = await askGateway(gateway, SCHEDULES, {}, signedIn.principal);
    const body = html`
${alertsHeading(signedIn.principal, 'Statements', PATH)}
<p class="lead">A statement shows the revenue, cost and margin of a week or month and the change in cost from the previous one. It links to the details by customer and model. <a href="/books/closing">Past statements</a></p>
${
  schedules.alertChannels.length === 0
    ? html`<p class="panel empty">No channels. <a href="/alerts/channels">Add an e-mail address, a Slack channel or a webhook</a>, then return here.</p>`
    : html`<div class="acts">${(Object.keys(PERIODS) as Period[]).map((period) => scheduleForm(signedIn, period, schedules))}</div>`
}`;
    return sendFramed(signedIn, { title: 'Statements', body, error });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const period = field(signedIn.form, 'period') === 'WEEK' ? 'WEEK' : 'MONTH';
      const input = { period, channelIds: signedIn.form.getAll('channel') } as const;
      const { error } = await outcomeOf(askGateway(gateway, SET, { input }, signedIn.principal));
      return error ? render(signedIn, error.message) : signedIn.reply.redirect(`${PATH}?done=statements-set`, 303);
    }),
  );
}

function scheduleForm(
  { csrf, principal }: SignedIn,
  period: Period,
  { statementSchedules, alertChannels }: Schedules,
): Html {
  const schedule = statementSchedules.find((one) => one.period === period);
  const isSent = schedule !== undefined && schedule.channelIds.length > 0;
  const { label, each } = PERIODS[period];
  const heading = `statements-${period.toLowerCase()}`;
  return html`
<form class="panel stack" method="post" action="${PATH}" aria-labelledby="${heading}">${csrfField(csrf)}<input type="hidden" name="period" value="${period}">
  <h2 id="${heading}">${label} <span class="badge ${isSent ? 'good' : ''}">${isSent ? 'on' : 'off'}</span></h2>
  <p class="muted">${isSent ? html`The next one is sent on ${formatInstant(schedule.nextAt)}.` : html`Sent ${each}.`}</p>
  <fieldset${!isAdmin(principal) && html` disabled`}><legend>Send to</legend>${alertChannels.map(
    ({ id, name, target, problem }) => html`
    <label class="choice"><input type="checkbox" name="channel" value="${id}"${schedule?.channelIds.includes(id) && html` checked`}> <span>${name} <span class="muted">${target}${problem !== null && html` <br>${problem}`}</span></span></label>`,
  )}</fieldset>
  ${isAdmin(principal) ? html`<button class="secondary">Save<span class="unseen"> ${label}</span></button>` : html`<p class="muted">Owners and admins choose channels.</p>`}</form>`;
}
