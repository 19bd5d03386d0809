/**
 * Creates the organization `Demo` with its plan, dimensions, alerts and one negotiated rate, or finds the one of an
 * earlier run.
 */
import type { OperatorGateway } from '../cli/kit/operator-gateway.ts';
import { randomBytes } from '#platform/random.ts';
import { graphql } from '#schema/graphql.ts';

const KEY_NAME_PREFIX = 'Demo ';

/**
 * Ingestion is limited to 100 requests, i.e. 10,000 events, per minute and key. One key would take three minutes for
 * some 25,000 events; with four keys there is no wait. A product with several servers does the same.
 */
const INGEST_KEYS = 4;

export interface DemoOrganization {
  readonly id: string;
  readonly createdAt: Date;
  /** Null: created by an earlier run. */
  readonly owner: { readonly email: string; readonly password: string } | null;
}

const NAME = 'Demo';
const OWNER_EMAIL = 'demo@example.com';
/** Events of the plan: more than 90 days and some weeks need, but few enough that the used credits are visible. */
const ALLOTMENT = 40_000;
const DIMENSIONS = [
  ['team', 'Team'],
  ['plan', 'Plan'],
] as const;
/** A fifth below the list price. */
const AGREED_RATE = {
  model: 'claude-sonnet-4-6',
  provider: 'anthropic',
  input: '2.4',
  output: '12',
  cacheCreation: '3',
  cacheRead: '0.24',
};

/** Besides the dimensions that every organization has. */
const ALERTS = [
  { name: 'An agent falls silent', kind: 'NO_DATA', groupBy: 'AGENT' },
  { name: 'Budget of the month', kind: 'BUDGET', amount: '25000' },
] as const;

export async function prepareOrganization(gateway: OperatorGateway): Promise<DemoOrganization> {
  const organization = (await findOrganization(gateway)) ?? (await createOrganization(gateway));
  const { id } = organization;
  const { credits, rateMatch } = await gateway.ask(
    graphql(
      'query DemoState($model: String!, $provider: String) { credits { creditsLeft } rateMatch(model: $model, provider: $provider) { inputCostPerMillion } }',
    ),
    { model: AGREED_RATE.model, provider: AGREED_RATE.provider },
    id,
  );
  if (credits.creditsLeft === null)
    await gateway.ask(
      graphql(
        'mutation DemoPlan($allotment: Long!) { planSet(input: { allotment: $allotment }) { credits { creditsLeft } userErrors { message code } } }',
      ),
      { allotment: ALLOTMENT },
      id,
    );
  if (rateMatch?.inputCostPerMillion !== AGREED_RATE.input) {
    await gateway.ask(
      graphql(
        'mutation DemoRate($input: RateSetInput!) { rateSet(input: $input) { rate { rateCardId } userErrors { message code } } }',
      ),
      { input: AGREED_RATE },
      id,
    );
  }
  for (const [key, label] of DIMENSIONS) {
    await gateway.ask(
      graphql(
        'mutation DemoDimension($key: String!, $label: String) { dimensionRegister(input: { key: $key, label: $label }) { dimension { key } userErrors { message code } } }',
      ),
      { key, label },
      id,
    );
  }
  await makeAlerts(gateway, id);
  return organization;
}

async function makeAlerts(gateway: OperatorGateway, organizationId: string): Promise<void> {
  const { alertRules } = await gateway.ask(graphql('query DemoAlerts { alertRules { name } }'), {}, organizationId);
  for (const input of ALERTS.filter(({ name }) => alertRules.every((rule) => rule.name !== name)))
    await gateway.ask(
      graphql(
        'mutation DemoAlert($input: AlertRuleSaveInput!) { alertRuleSave(input: $input) { userErrors { message } } }',
      ),
      { input },
      organizationId,
    );
}

async function findOrganization(gateway: OperatorGateway): Promise<DemoOrganization | null> {
  const { organizations } = await gateway.ask(
    graphql('query OrganizationNames { organizations { id name createdAt } }'),
  );
  const found = organizations.find(({ name }) => name === NAME);
  return found ? { id: found.id, createdAt: new Date(found.createdAt), owner: null } : null;
}

async function createOrganization(gateway: OperatorGateway): Promise<DemoOrganization> {
  const owner = { email: OWNER_EMAIL, password: randomBytes(12).toString('base64url') };
  const { organizationCreate } = await gateway.ask(
    graphql(`mutation DemoOrganization($name: String!, $email: String!, $password: String!) {
      organizationCreate(input: { name: $name, ownerEmail: $email, ownerPassword: $password }) { createdOrganization { organization { id createdAt } } userErrors { message code } }
    }`),
    { name: NAME, ...owner },
  );
  const { organization } = organizationCreate.createdOrganization!;
  return { id: organization.id, createdAt: new Date(organization.createdAt), owner };
}

interface DemoKeys {
  readonly read: string;
  readonly ingest: readonly string[];
}

/**
 * New keys for this run. A live key is shown only once, so keys of earlier runs can no longer be used and are revoked.
 */
export async function makeKeys(gateway: OperatorGateway, organizationId: string): Promise<DemoKeys> {
  const { apiKeys } = await gateway.ask(
    graphql('query ApiKeyNames { apiKeys { id name revokedAt } }'),
    {},
    organizationId,
  );
  for (const { id } of apiKeys.filter(
    ({ name, revokedAt }) => name.startsWith(KEY_NAME_PREFIX) && revokedAt === null,
  )) {
    await gateway.ask(
      graphql(
        'mutation RevokeKey($id: ID!) { apiKeyRevoke(input: { id: $id }) { apiKey { id } userErrors { message code } } }',
      ),
      { id },
      organizationId,
    );
  }
  const make = async (name: string, preset: string): Promise<string> => {
    const input = { name: `${KEY_NAME_PREFIX}${name}`, environment: 'live', preset };
    const { apiKeyCreate } = await gateway.ask(
      graphql(
        'mutation ApiKeySecret($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { createdApiKey { secret } userErrors { message code } } }',
      ),
      { input },
      organizationId,
    );
    return apiKeyCreate.createdApiKey!.secret;
  };
  const read = await make('read', 'read');
  const ingest: string[] = [];
  for (let index = 1; index <= INGEST_KEYS; index += 1) ingest.push(await make(`ingestion ${index}`, 'ingest'));
  return { read, ingest };
}
