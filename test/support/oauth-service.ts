/**
 * The shared service, or one with the given settings, with direct access to its database, in which OAuth tests change
 * times.
 */
import { withClient } from '#platform/database/prepare-database.ts';
import { ownService, type SharedService, sharedService } from './shared-service.ts';

export interface OauthService extends SharedService {
  /** Rows of the identity database. */
  identity(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function oauthService(settings?: Readonly<Record<string, string>>): Promise<OauthService> {
  const service = settings ? await ownService(settings) : await sharedService();
  return {
    ...service,
    identity: (sql, parameters) =>
      withClient(
        service.target('identity'),
        async (client) => (await client.query(sql, parameters)).rows as Record<string, unknown>[],
      ),
  };
}
