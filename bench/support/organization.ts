/**
 * Organizations of a benchmark. Each has the rate cards and dimensions of the workloads' customer, and a plan that it
 * will not exhaust, so that every event spends a credit as in production.
 */
import { graphql } from '#schema/graphql.ts';
import { CUSTOMER_MODELS, DIMENSIONS } from '../workload/customer.ts';
import { askOperator } from './ask-operator.ts';
import type { Service } from './start-service.ts';

export interface Organization {
  readonly id: string;
  readonly readKey: string;
  readonly ingestKeys: readonly string[];
}

/** Password of the owner of every organization here. */
export const OWNER_PASSWORD = 'correct horse battery staple';

/** Owner's e-mail address, derived from the organization's name. */
export function ownerEmail(name: string): string {
  return `${name.toLowerCase()}@example.com`;
}

const EVENTS_OF_PLAN = 1_000_000_000;

export async function createOrganization(
  service: Service,
  name: string,
  { ingestKeys = 1 } = {},
): Promise<Organization> {
  const { organizationCreate } = await askOperator(
    service,
    graphql(`mutation BenchOrganization($name: String!, $email: String!, $password: String!) {
      organizationCreate(input: { name: $name, ownerEmail: $email, ownerPassword: $password }) { createdOrganization { organization { id } } userErrors { message code } }
    }`),
    { name, email: ownerEmail(name), password: OWNER_PASSWORD },
  );
  const { id } = organizationCreate.createdOrganization!.organization;
  await askOperator(
    service,
    graphql(
      'mutation BenchPlan($events: Long!) { planSet(input: { allotment: $events }) { credits { __typename } userErrors { message code } } }',
    ),
    { events: EVENTS_OF_PLAN },
    id,
  );
  await setRates(service, id);
  await registerDimensions(service, id);
  const key = (preset: 'read' | 'ingest') => createKey(service, id, preset);
  const readKey = await key('read');
  const keys: string[] = [];
  while (keys.length < ingestKeys) keys.push(await key('ingest'));
  return { id, readKey, ingestKeys: keys };
}

async function createKey(service: Service, organizationId: string, preset: 'read' | 'ingest'): Promise<string> {
  const { apiKeyCreate } = await askOperator(
    service,
    graphql(
      `mutation ApiKeySecret($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { createdApiKey { secret } userErrors { message code } } }`,
    ),
    { input: { name: `Benchmark ${preset}`, environment: 'live', preset } },
    organizationId,
  );
  return apiKeyCreate.createdApiKey!.secret;
}

const RATE = graphql(
  'mutation BenchRate($input: RateSetInput!) { rateSet(input: $input) { userErrors { message code } } }',
);

async function setRates(service: Service, organizationId: string): Promise<void> {
  for (const { name, provider, input, output, cacheRead } of CUSTOMER_MODELS) {
    const rates = { input: String(input), output: String(output), cacheRead: String(cacheRead) };
    await askOperator(service, RATE, { input: { model: name, provider, ...rates } }, organizationId);
  }
}

const DIMENSION = graphql(
  'mutation BenchDimension($key: String!) { dimensionRegister(input: { key: $key }) { userErrors { message code } } }',
);

async function registerDimensions(service: Service, organizationId: string): Promise<void> {
  for (const key of Object.keys(DIMENSIONS)) await askOperator(service, DIMENSION, { key }, organizationId);
}
