/** The statements that a read needs from PostgreSQL, written by hand: the key's row, then the read's own statement. */
import { endUserId } from '#kernel/end-user-id.ts';
import { connectDatabase, databaseUrl } from '../support/database-connection.ts';
import type { BareStatement } from './bare-server.ts';
import type { EdgeRead } from './edge-reads.ts';

const KEY = `
  select organization_id, id, account_user_id, name, environment, may_write_unsigned, scopes, expires_at
  from api_key where hash = decode($1, 'hex') and revoked_at is null and (expires_at is null or expires_at > now())`;

const END_USER = `
  select model_slug, provider_slug, sum(total_cost), sum(input_tokens), sum(output_tokens), sum(cache_creation_input_tokens),
    sum(cache_read_input_tokens), sum(reasoning_tokens), sum(input_cost), sum(output_cost), sum(cache_creation_cost),
    sum(cache_read_cost), sum(reasoning_cost), count(*) filter (where sequence = 0)
  from cost_fact where organization_id = $1 and end_user_id = $2 and event_time >= $3 and event_time < $4 group by 1, 2`;

const ROWS = `
  select id, event_time, (input_tokens + output_tokens)::float8, metadata::text, provider, feature, agent_id, workflow_id, units
  from usage_event where organization_id = $1 and livemode and event_time >= $2 and event_time < $3 order by event_time desc, id limit 1000`;

const TOTAL =
  'select sum(completed + failed + pending_rate_card) from cost_hour where organization_id = $1 and hour >= $2 and hour < $3';

/** Uses the organization's newest key; every key costs the same. */
export async function bareStatements(
  dataDirectory: string,
  organizationId: string,
  { name, variables }: EdgeRead,
): Promise<BareStatement[]> {
  const identity = await connectDatabase(dataDirectory, 'identity');
  const { rows } = await identity.client.query<{ hash: string }>(
    "select encode(hash, 'hex') as hash from api_key where organization_id = $1 order by created_at desc limit 1",
    [organizationId],
  );
  await identity.close();
  const { start, end, externalId } = variables as Readonly<Record<string, string>>;
  const statement = (database: string, text: string, ...values: readonly (string | undefined)[]): BareStatement => ({
    databaseUrl: databaseUrl(dataDirectory, database),
    text,
    values: values.map(String),
  });
  const key = statement('identity', KEY, rows[0]?.hash);
  if (name === 'small') return [key];
  if (name === 'entity')
    return [
      key,
      statement('attribution', END_USER, organizationId, endUserId(organizationId, String(externalId)), start, end),
    ];
  return [
    key,
    statement('costing', TOTAL, organizationId, start, end),
    statement('costing', ROWS, organizationId, start, end),
  ];
}
