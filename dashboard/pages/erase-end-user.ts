/** `/personal-data/erase`: explains the erasure of an end user, then performs it after a password check. For owners. */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html } from '../shell/html.ts';

const END_USER = graphql(`query EndUserToErase($externalId: String!) {
  endUser(externalId: $externalId) { costSummary(start: "2000-01-01", end: "2099-01-01") { totalCost eventCount firstSeenAt } }
  dimensions { key }
}`);
const DIMENSIONS = graphql('query DimensionsToKeep { dimensions { key } }');
const BEGIN = graphql(`mutation BeginErasure($externalId: String!, $ownPassword: String) {
  endUserErase(input: { externalId: $externalId, limit: 0, ownPassword: $ownPassword }) { erasure { pseudonym } userErrors { message code } }
}`);
const ERASE_REVENUE =
  graphql(`mutation EraseFromRevenue($externalId: String!, $pseudonym: String!, $ownPassword: String) {
  revenueEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym, ownPassword: $ownPassword }) { erasure { customers } userErrors { message code } }
  alertingEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym, ownPassword: $ownPassword }) { erasure { episodes } userErrors { message code } }
  attributionEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym, ownPassword: $ownPassword }) { erasure { outcomes } userErrors { message code } }
}`);
const START = graphql(`mutation StartErasure($externalId: String!, $keepDimensions: [String!]!, $ownPassword: String) {
  endUserErasureStart(input: { externalId: $externalId, keepDimensions: $keepDimensions, ownPassword: $ownPassword }) { operation { id } userErrors { message code } }
}`);

export function eraseEndUserPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { csrf, form, principal } = signedIn;
    const externalId = field(form, 'externalId');
    const found = await outcomeOf(askGateway(gateway, END_USER, { externalId }, principal));
    if (found.error && found.error.code !== 'NOT_FOUND') throw found.error;
    const summary = found.value?.endUser.costSummary ?? null;
    const body = html`
<p class="crumbs"><a href="/personal-data">Personal data</a></p>
<h1 class="name">Erase ${externalId}?</h1>
<form class="panel stack wide-form" method="post" action="/personal-data/erase/confirm">${csrfField(csrf)}
  <input type="hidden" name="externalId" value="${externalId}">
  <p>${
    summary === null
      ? 'No event names this customer. If a Stripe customer is linked to this id, it is erased.'
      : html`${formatCount(summary.eventCount)} priced ${summary.eventCount === 1 ? 'event' : 'events'} of ${usdText(summary.totalCost)}${summary.firstSeenAt !== null && html`, first seen ${formatInstant(summary.firstSeenAt)}`}.`
  }</p>
  <ul class="asks">
    <li>The id is replaced with a pseudonym in events, costs, breakdowns, outcomes and revenue. It can no longer be identified.</li>
    <li>Sessions, metadata and customer names are deleted, except registered dimensions and what prices depend on.</li>
    <li>All figures stay the same. A record without the id proves the erasure.</li>
    <li>A new event with the same <code>user_id</code> creates a new customer: stop sending it.</li>
  </ul>
  <p><strong>This cannot be undone.</strong></p>
  ${ownPasswordField(null)}
  <p class="actions"><button class="danger">Erase permanently</button> <a href="/personal-data">Cancel</a></p>
</form>`;
    return sendFramed(signedIn, {
      title: 'Erase a customer',
      ...refusalOf(error),
      body,
    });
  };

  pages.post(
    '/personal-data/erase',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    '/personal-data/erase/confirm',
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(erase(signedIn));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/personal-data?done=erasure-begun', 303);
    }),
  );

  /**
   * Erases from revenue and alerting first, because they need the pseudonym, which costing deletes at the end. It can
   * be repeated after an interruption.
   */
  async function erase({ form, principal }: SignedIn): Promise<void> {
    const externalId = field(form, 'externalId');
    const typed = ownPassword(form);
    const { dimensions } = await askGateway(gateway, DIMENSIONS, {}, principal);
    const { endUserErase } = await askGateway(gateway, BEGIN, { externalId, ...typed }, principal);
    const pseudonym =
      endUserErase.erasure?.pseudonym ??
      fail('VALIDATION_ERROR', 'An earlier erasure of this customer has just finished: try again');
    await askGateway(gateway, ERASE_REVENUE, { externalId, pseudonym, ...typed }, principal);
    const keepDimensions = dimensions.map(({ key }) => key);
    await askGateway(gateway, START, { externalId, keepDimensions, ...typed }, principal);
  }
}
