/** Makes the organization `Demo` with its plan, dimensions and one agreed rate, or finds it as an earlier run left it. */
import type { OperatorGateway } from '../cli/kit/operator-gateway.ts';
import { randomBytes } from '../platform/random.ts';

export interface DemoOrganization {
  readonly id: string;
  readonly createdAt: Date;
  /** Null: made by an earlier run. */
  readonly owner: { readonly email: string; readonly password: string } | null;
}

const NAME = 'Demo';
const OWNER_EMAIL = 'demo@example.com';
/** More than the 90 days and some weeks hold, and not so much that the credits look untouched. */
const ALLOTMENT = 40_000;
const DIMENSIONS = [['team', 'Team'], ['plan', 'Plan']] as const;
/** A fifth below the list price. */
const AGREED_RATE = { model: 'claude-sonnet-4-5', provider: 'anthropic', input: '2.4', output: '12', cacheCreation: '3', cacheRead: '0.24' };

export async function prepareOrganization(gateway: OperatorGateway): Promise<DemoOrganization> {
  const organization = await findOrganization(gateway) ?? await createOrganization(gateway);
  const ask = <Data>(document: string, variables: object = {}) => gateway.ask<Data>(document, { ...variables }, organization.id);
  const { credits, rateMatch } = await ask<{ credits: { creditsLeft: number | null }; rateMatch: { inputCostPerMillion: string } | null }>(
    'query ($model: String!, $provider: String) { credits { creditsLeft } rateMatch(model: $model, provider: $provider) { inputCostPerMillion } }', AGREED_RATE);
  if (credits.creditsLeft === null) await ask('mutation ($allotment: Float!) { setPlan(allotment: $allotment) { creditsLeft } }', { allotment: ALLOTMENT });
  if (rateMatch?.inputCostPerMillion !== AGREED_RATE.input) await ask('mutation ($input: SetRateInput!) { setRate(input: $input) { rateCardId } }', { input: AGREED_RATE });
  for (const [key, label] of DIMENSIONS) await ask('mutation ($key: String!, $label: String) { registerDimension(key: $key, label: $label) { key } }', { key, label });
  return organization;
}

async function findOrganization(gateway: OperatorGateway): Promise<DemoOrganization | null> {
  const { organizations } = await gateway.ask<{ organizations: { id: string; name: string; createdAt: string }[] }>('{ organizations { id name createdAt } }');
  const found = organizations.find(({ name }) => name === NAME);
  return found ? { id: found.id, createdAt: new Date(found.createdAt), owner: null } : null;
}

async function createOrganization(gateway: OperatorGateway): Promise<DemoOrganization> {
  const owner = { email: OWNER_EMAIL, password: randomBytes(12).toString('base64url') };
  const { createOrganization: made } = await gateway.ask<{ createOrganization: { organization: { id: string; createdAt: string } } }>(
    `mutation ($name: String!, $email: String!, $password: String!) {
      createOrganization(name: $name, ownerEmail: $email, ownerPassword: $password) { organization { id createdAt } }
    }`, { name: NAME, ...owner });
  return { id: made.organization.id, createdAt: new Date(made.organization.createdAt), owner };
}
