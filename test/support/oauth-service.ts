/**
 * A running service that knows its own address, with direct access to its database, in which OAuth tests change times.
 */
import { randomBytes } from 'node:crypto';
import { withClient } from '#platform/database/prepare-database.ts';
import { freePort } from './free-port.ts';
import { freshTarget } from './fresh-database.ts';
import { type RunningService, runningService, urlOf } from './running-service.ts';

export interface OauthService extends RunningService {
  readonly serviceSecret: string;
  /** Rows of the identity database. */
  identity(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function oauthService(settings: Readonly<Record<string, string>> = {}): Promise<OauthService> {
  const target = await freshTarget('identity');
  const serviceSecret = randomBytes(32).toString('hex');
  const port = await freePort();
  const service = await runningService({
    PORT: String(port),
    SERVICE_SECRET: serviceSecret,
    IDENTITY_DATABASE_URL: urlOf(target),
    ...settings,
  });
  return {
    ...service,
    serviceSecret,
    identity: (sql, parameters) =>
      withClient(target, async (client) => (await client.query(sql, parameters)).rows as Record<string, unknown>[]),
  };
}
