/** Fresh keys for this run. A live key is shown once, so those of an earlier run are of no use to anybody and end here. */
import type { OperatorGateway } from '../platform/operator-gateway.ts';
import { graphql } from '../schema/graphql.ts';

export interface DemoKeys {
  readonly read: string;
  readonly ingest: readonly string[];
}

const PREFIX = 'Demo ';
/**
 * Ingestion is limited to 100 requests a minute for each key, which is 10,000 events: one key would need three minutes for some
 * 25,000 events, four need none of the waiting. A product with several servers does the same.
 */
const INGEST_KEYS = 4;

export async function makeKeys(gateway: OperatorGateway, organizationId: string): Promise<DemoKeys> {
  const { apiKeys } = await gateway.ask(graphql('query ApiKeyNames { apiKeys { id name revokedAt } }'), {}, organizationId);
  for (const { id } of apiKeys.filter(({ name, revokedAt }) => name.startsWith(PREFIX) && revokedAt === null)) {
    await gateway.ask(graphql('mutation RevokeKey($id: ID!) { revokeApiKey(id: $id) { id } }'), { id }, organizationId);
  }
  const make = async (name: string, preset: string): Promise<string> => {
    const input = { name: `${PREFIX}${name}`, environment: 'live', preset };
    const { createApiKey } = await gateway.ask(graphql('mutation ApiKeySecret($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }'), { input }, organizationId);
    return createApiKey.secret;
  };
  const read = await make('read', 'read');
  const ingest: string[] = [];
  for (let index = 1; index <= INGEST_KEYS; index += 1) ingest.push(await make(`ingestion ${index}`, 'ingest'));
  return { read, ingest };
}
