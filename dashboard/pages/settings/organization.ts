/** `/settings/organization`: the organization's name, its fiscal year, and the plan of its event credits. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { MONTH_NAMES } from '#kernel/time/in-words.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const ORGANIZATION = graphql(`query OrganizationPage {
  organization { id name createdAt fiscalYearStart }
  credits { allotment softLimit allotmentLeft packsLeft creditsLeft renewsAt }
  ownersSetPlans
}`);
const RENAME = graphql(`mutation RenameOrganization($name: String!) {
  outcome: organizationRename(input: { name: $name }) { userErrors { message code } }
}`);
const SET_FISCAL_YEAR = graphql(`mutation SetFiscalYear($firstMonth: Int!) {
  outcome: organizationFiscalYearSet(input: { firstMonth: $firstMonth }) { userErrors { message code } }
}`);
const SET_PLAN = graphql(`mutation SetOwnPlan($allotment: Long!, $softLimit: Long, $renewsAt: Instant) {
  outcome: planSet(input: { allotment: $allotment, softLimit: $softLimit, renewsAt: $renewsAt }) { userErrors { message code } }
}`);

const PATH = '/settings/organization';

type Credits = DataOf<'OrganizationPage'>['credits'];
type Changed = Promise<object>;

export function organizationPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { organization, credits, ownersSetPlans } = await askGateway(gateway, ORGANIZATION, {}, signedIn.principal);
    const { csrf, principal } = signedIn;
    const isOwner = principal.grants.includes('owner');
    const body = html`
<h1>${organization.name}</h1>
<p class="lead">Since ${formatDate(organization.createdAt)}. ID <span class="id">${organization.id}</span></p>
${
  isOwner &&
  html`<form class="panel stack wide-form" method="post" action="${PATH}/name">${csrfField(csrf)}
  <h2>Name</h2>
  <label>Name of the organization <input name="name" value="${organization.name}" maxlength="255" autocomplete="organization" required></label>
  <button>Rename</button></form>`
}
${isOwner && fiscalYear(signedIn, organization.fiscalYearStart)}
${plan(signedIn, credits, { isOwner, ownersSetPlans })}
${isOwner && html`<p class="muted"><a href="/personal-data/organization">Delete the organization</a></p>`}`;
    return sendFramed(signedIn, {
      title: 'Organization',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  const act = (path: string, done: string, send: (signedIn: SignedIn) => Changed) =>
    pages.post(
      `${PATH}/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { error } = await outcomeOf(send(signedIn));
        return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=${done}`, 303);
      }),
    );

  act('name', 'organization-renamed', ({ form, principal }) =>
    askGateway(gateway, RENAME, { name: field(form, 'name') }, principal),
  );
  act('fiscal-year', 'fiscal-year-set', ({ form, principal }) =>
    askGateway(gateway, SET_FISCAL_YEAR, { firstMonth: Number(field(form, 'firstMonth')) }, principal),
  );
  act('plan', 'plan-set', ({ form, principal }) => {
    const softLimit = field(form, 'softLimit');
    const variables = {
      allotment: Number(field(form, 'allotment') || 'none'),
      ...(softLimit === '' ? {} : { softLimit: Number(softLimit) }),
    };
    if (Object.values(variables).some((count) => !Number.isFinite(count)))
      return Promise.reject(new KnownError('VALIDATION_ERROR', 'Enter whole numbers of events'));
    // An existing plan keeps its renewal day.
    const renewsAt = field(form, 'renewsAt');
    return askGateway(gateway, SET_PLAN, { ...variables, ...(renewsAt === '' ? {} : { renewsAt }) }, principal);
  });
}

function fiscalYear({ csrf }: SignedIn, firstMonth: number): Html {
  return html`
<form class="panel stack wide-form" method="post" action="${PATH}/fiscal-year">${csrfField(csrf)}
  <h2>Fiscal year</h2>
  <label>First month <select name="firstMonth">${MONTH_NAMES.map((name, index) => html`<option value="${index + 1}"${index + 1 === firstMonth && html` selected`}>${name}</option>`)}</select></label>
  <p class="muted">Pages offer this and the last fiscal year as periods. Stored figures do not change.</p>
  <button class="secondary">Set the fiscal year</button></form>`;
}

/** The plan for events that the organization may send, not what its own customers pay. */
function plan({ csrf }: SignedIn, credits: Credits, may: { isOwner: boolean; ownersSetPlans: boolean }): Html {
  const { allotment, softLimit, allotmentLeft, packsLeft, renewsAt } = credits;
  return html`
<section class="panel stack wide-form" aria-labelledby="plan"><h2 id="plan">Plan</h2>
  <p>${
    allotment === null
      ? 'No plan: events are accepted without a limit.'
      : html`${formatCount(allotmentLeft ?? 0)} of ${formatCount(allotment)} events left${renewsAt !== null && html` until ${formatDate(renewsAt)}`}${packsLeft !== null && packsLeft > 0 && html`, and ${formatCount(packsLeft)} in packs`}. Once they are used up, new events are refused.`
  }</p>
  ${may.isOwner && !may.ownersSetPlans && html`<p class="muted">Plans are set by the operator of this service.</p>`}
  ${
    may.isOwner &&
    may.ownersSetPlans &&
    html`<form class="stack" method="post" action="${PATH}/plan">${csrfField(csrf)}${renewsAt !== null && html`<input type="hidden" name="renewsAt" value="${renewsAt}">`}
    <div class="fields"><label>Events per month <input name="allotment" value="${allotment}" inputmode="numeric" pattern="[0-9]{1,15}" title="A whole number" autocomplete="off" required></label>
    <label>Warn after <span class="muted">(default: 80%)</span> <input name="softLimit" value="${softLimit}" inputmode="numeric" pattern="[0-9]{1,15}" title="A whole number" autocomplete="off"></label></div>
    <p class="muted">Protects against runaway loops. Usage of the current period is kept.</p>
    <button class="secondary">Set the plan</button></form>`
  }
</section>`;
}
