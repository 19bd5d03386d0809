/** The dashboard: plain HTML forms that work without scripts. An ordinary client of the gateway. */
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { correlationIdOf } from '#platform/correlation-id.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { KeyRing } from '#platform/key-ring.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { readFormParameters } from '#platform/request-body/read-text.ts';
import { isSameOrigin } from '#platform/same-origin.ts';
import { fail } from '#kernel/errors.ts';
import { answerFailure, answerUnknown } from './http/answer-failure.ts';
import { csrfKeys } from './http/csrf-token.ts';
import { alertRulePages } from './pages/alerts/rule.ts';
import { alertsPage } from './pages/alerts/alerts.ts';
import { budgetsPage } from './pages/alerts/budgets.ts';
import { alertChannelsPages } from './pages/alerts/channels.ts';
import { confirmAddressPages } from './pages/alerts/confirm-address.ts';
import { alertDeliveriesPages } from './pages/alerts/deliveries.ts';
import { statementSchedulePages } from './pages/alerts/statements.ts';
import { alertEpisodePages } from './pages/alerts/episode.ts';
import { activatePages } from './pages/activate.ts';
import { apiKeyPages } from './pages/api-key.ts';
import { apiKeysPage } from './pages/api-keys.ts';
import { auditLogPage } from './pages/audit-log.ts';
import { authorizePages } from './pages/authorize.ts';
import { billDifferencePages } from './pages/bills/difference.ts';
import { billsPages } from './pages/bills/bills.ts';
import { booksPages } from './pages/books.ts';
import { closingPages } from './pages/closing.ts';
import { costsPages } from './pages/costs/costs.ts';
import { fixedCostForm } from './pages/costs/fixed-cost-form.ts';
import { fixedCostsPage } from './pages/costs/fixed-costs.ts';
import { keyCostsPages } from './pages/costs/key-costs.ts';
import { customerPage } from './pages/customers/customer.ts';
import { customersPages } from './pages/customers/customers.ts';
import { deleteOrganizationPages } from './pages/delete-organization.ts';
import { eventPage } from './pages/events/event.ts';
import { eventsPages } from './pages/events/events.ts';
import { exportSchedulesPages } from './pages/export-schedules.ts';
import { exportsPages } from './pages/exports.ts';
import { importHistoryPages } from './pages/import-history/import-history.ts';
import { insightsPage } from './pages/insights.ts';
import { notesPages } from './pages/notes.ts';
import { savedViewsPages } from './pages/saved-views.ts';
import { outcomesPage } from './pages/outcomes.ts';
import { ratesPages } from './pages/rates/rates.ts';
import { sessionPages } from './pages/events/session.ts';
import { eraseEndUserPages } from './pages/erase-end-user.ts';
import { marginsPages } from './pages/margins/margins.ts';
import { newApiKeyPages } from './pages/new-api-key.ts';
import { cachedTokensPages } from './pages/cached-tokens.ts';
import { notUnderstoodPages } from './pages/not-understood.ts';
import { oneTimeLinkPages } from './pages/one-time-links.ts';
import { reportingCurrencyPages } from './pages/margins/reporting-currency.ts';
import { overviewPage } from './pages/overview.ts';
import { passkeyPages } from './pages/passkeys.ts';
import { passkeySignInPages } from './pages/passkey-sign-in.ts';
import { personalDataPages } from './pages/personal-data.ts';
import { paymentCustomersPages } from './pages/payments/payment-customers.ts';
import { paymentsPages } from './pages/payments/payments.ts';
import { allowancePages } from './pages/allowances.ts';
import { commitmentPages } from './pages/rates/commitments.ts';
import { providerCreditPages } from './pages/rates/provider-credits.ts';
import { agreementPages } from './pages/rates/agreements.ts';
import { negotiatedRatesPages } from './pages/rates/negotiated.ts';
import { pricePages } from './pages/rates/price.ts';
import { upcomingRatesPage } from './pages/rates/upcoming.ts';
import { waitingModelsPage } from './pages/rates/waiting.ts';
import { currencyPages } from './pages/settings/currency.ts';
import { dimensionsPages } from './pages/settings/dimensions.ts';
import { organizationPages } from './pages/settings/organization.ts';
import { firstStepsPages } from './pages/first-steps/first-steps.ts';
import { samplePages } from './pages/sample/sample.ts';
import { searchPage } from './pages/search.ts';
import { setAsidePages } from './pages/set-aside.ts';
import { sourcesPages } from './pages/sources/sources.ts';
import { statementPages } from './pages/statement/statement.ts';
import { passwordPages } from './pages/password.ts';
import { accountUsersPages } from './pages/account-users.ts';
import { accountUserPages } from './pages/account-user.ts';
import { settingsPage } from './pages/settings/settings.ts';
import { secondFactorPages } from './pages/second-factor.ts';
import { secondStepPages } from './pages/second-step.ts';
import { sessionsPages } from './pages/sessions.ts';
import { signInPages } from './pages/sign-in.ts';
import { signOutPage } from './pages/sign-out.ts';
import { whatIfPlanPage } from './pages/what-if/plan.ts';
import { whatIfPage } from './pages/what-if/what-if.ts';
import { serveAssets } from './shell/serve-assets.ts';
import type { Dependencies } from './http/dependencies.ts';
import { securityHeaders } from './http/security-headers.ts';
import { relyingPartyOf } from '#schema/relying-party.ts';

declare module 'fastify' {
  interface FastifyRequest {
    correlationId: string;
  }
}

export interface DashboardOptions {
  readonly gateway: GatewayClient;
  readonly eventLimiter: RateLimiter;
  /** Public URL of the pages. */
  readonly appUrl: string;
  /** Public URL of the API. */
  readonly apiOrigin: string;
  readonly signing: KeyRing;
}

const FORM_BYTES_MAX = 64 * 1024;

const PAGES = [
  overviewPage,
  whatIfPage,
  whatIfPlanPage,
  costsPages,
  keyCostsPages,
  fixedCostsPage,
  fixedCostForm,
  insightsPage,
  notesPages,
  savedViewsPages,
  searchPage,
  marginsPages,
  reportingCurrencyPages,
  customersPages,
  customerPage,
  eventsPages,
  sessionPages,
  outcomesPage,
  eventPage,
  ratesPages,
  exportsPages,
  exportSchedulesPages,
  alertsPage,
  alertRulePages,
  alertEpisodePages,
  budgetsPage,
  alertChannelsPages,
  statementSchedulePages,
  alertDeliveriesPages,
  settingsPage,
  signInPages,
  secondStepPages,
  passkeySignInPages,
  signOutPage,
  sessionsPages,
  apiKeysPage,
  newApiKeyPages,
  apiKeyPages,
  passwordPages,
  secondFactorPages,
  passkeyPages,
  activatePages,
  authorizePages,
  auditLogPage,
  accountUsersPages,
  accountUserPages,
  oneTimeLinkPages,
  confirmAddressPages,
  booksPages,
  billsPages,
  importHistoryPages,
  billDifferencePages,
  closingPages,
  statementPages,
  setAsidePages,
  paymentsPages,
  paymentCustomersPages,
  waitingModelsPage,
  upcomingRatesPage,
  pricePages,
  negotiatedRatesPages,
  agreementPages,
  commitmentPages,
  providerCreditPages,
  allowancePages,
  currencyPages,
  dimensionsPages,
  organizationPages,
  firstStepsPages,
  samplePages,
  sourcesPages,
  notUnderstoodPages,
  cachedTokensPages,
  personalDataPages,
  eraseEndUserPages,
  deleteOrganizationPages,
];

export async function dashboard(
  app: FastifyInstance,
  { gateway, eventLimiter, appUrl, apiOrigin, signing }: DashboardOptions,
): Promise<void> {
  const dependencies: Dependencies = {
    gateway,
    eventLimiter,
    csrfKeys: csrfKeys(signing),
    isSecure: appUrl.startsWith('https://'),
    hasPasskeys: relyingPartyOf(appUrl) !== null,
    appOrigin: new URL(appUrl).origin,
    apiOrigin,
  };
  await app.register(async (pages) => {
    await pages.register(cookie);
    parseBodies(
      pages,
      'application/x-www-form-urlencoded',
      () => ({ bytesMax: FORM_BYTES_MAX }),
      (sent) => readFormParameters(sent),
    );
    pages.addHook('onRequest', (request, reply, done) => {
      request.correlationId = correlationIdOf(request.headers['x-correlation-id']);
      reply.header('X-Correlation-ID', request.correlationId);
      done();
    });
    pages.addHook('onRequest', securityHeaders(dependencies.isSecure));
    pages.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && !isSameOrigin(request.headers, [dependencies.appOrigin]))
        fail('FORBIDDEN', 'This form was sent from another site.');
    });
    pages.setErrorHandler(answerFailure);
    pages.setNotFoundHandler(answerUnknown);
    serveAssets(pages);
    for (const page of PAGES) page(pages, dependencies);
  });
}
