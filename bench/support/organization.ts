/**
 * Organizations of a benchmark, each with a plan that it will not exhaust, so that every event spends a credit as in
 * production.
 */
import { graphql } from '#schema/graphql.ts';
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
