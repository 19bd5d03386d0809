/** The grants of each of our processes: a compromised process has no others. */
import { expect, test } from 'vitest';
import { servicePrincipal } from '#platform/principal.ts';
import { missingGrant } from '#schema/scopes-of-field.ts';
import { SERVICE_GRANTS } from '#schema/subgraph-names.ts';
import { supergraphFields } from './supergraph-fields.ts';

const SIGN_IN = [
  'Mutation.acceptInvitation',
  'Mutation.completePasswordReset',
  'Mutation.completeSignIn',
  'Mutation.completeSignInWithPasskey',
  'Mutation.confirmAlertChannel',
  'Mutation.exchangeOauthCode',
  'Mutation.pollDeviceLogin',
  'Mutation.registerOauthClient',
  'Mutation.revokeToken',
  'Mutation.signIn',
  'Mutation.signInWithPasskey',
  'Mutation.startDeviceLogin',
  'Mutation.startPasskeySignIn',
  'Query.alertChannelConfirmation',
  'Query.invitation',
  'Query.passwordReset',
];
const FEED = [
  'Mutation.acknowledgeFeeds',
  'Mutation.followPricedFeed',
  'Query.feedMarks',
  'Query.ledgerDays',
  'Query.ledgerPage',
  'Query.ledgerSums',
  'Query.metadataRetentions',
];
const ORGANIZATIONS = ['Query.accountUserRole', 'Query.deletedOrganizations', 'Query.organizationIds'];

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  gateway: ['Query.principal'],
  edge: SIGN_IN,
  dashboard: SIGN_IN,
  metrics: ['Query.attributionLag', 'Query.catalogue', 'Query.pricingBacklog'],
  deletion: ORGANIZATIONS,
  identity: ORGANIZATIONS,
  costing: ORGANIZATIONS,
  attribution: [...FEED, ...ORGANIZATIONS].toSorted(),
  revenue: ORGANIZATIONS,
  alerting: ORGANIZATIONS,
  reconciliation: ORGANIZATIONS,
  'somebody else': [],
};

const mayAsk = (name: string): string[] => {
  const { grants } = servicePrincipal(name, 'test');
  return [...supergraphFields()]
    .filter(([, needs]) => needs.length > 0 && missingGrant(grants, needs) === null)
    .map(([field]) => field)
    .toSorted();
};

test.each(Object.entries(EXPECTED))('%s requests what it needs and nothing else', (name, fields) => {
  expect(mayAsk(name)).toEqual(fields);
});

test('every process with a grant is in the list', () => {
  expect(Object.keys(EXPECTED)).toEqual([...Object.keys(SERVICE_GRANTS), 'somebody else']);
});
