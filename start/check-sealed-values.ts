/**
 * Checks at startup, before anything is served, that stored encrypted values can be decrypted. Otherwise the start
 * fails, so that nobody is locked out.
 */
import { type Config, ConfigError } from '#platform/config.ts';
import { countSealed } from '#platform/database/sealed-column.ts';
import type { Log } from '#platform/log.ts';
import { sealingWith } from '#platform/seal.ts';
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import type { Databases } from './databases.ts';
import type { KeyRings } from './service-secret.ts';

/**
 * Throws {@link ConfigError} naming the unreadable values and the ids of the missing keys. With
 * `UNREADABLE_SECRETS=accept` this is only logged.
 */
export async function checkSealedValues(
  definitions: readonly SubgraphDefinition[],
  databases: Databases,
  { encryption }: Pick<KeyRings, 'encryption'>,
  config: Pick<Config, 'encryptionSecret' | 'unreadableSecrets'>,
  log: Log,
): Promise<void> {
  const sealing = sealingWith(encryption, log);
  const counted = await Promise.all(
    definitions.flatMap(({ name, sealed = [] }) =>
      sealed.map(async (column) => {
        const database = databases.of[name];
        if (!database) throw new Error(`No database is open for ${name}`);
        const groups = await database.system((tx) => countSealed(tx, sealing, column));
        const unreadable = groups.filter(({ isReadable }) => !isReadable);
        return {
          column,
          count: unreadable.reduce((sum, { count }) => sum + count, 0),
          keyIds: unreadable.map(({ keyId }) => keyId),
        };
      }),
    ),
  );
  const unreadable = counted.filter(({ count }) => count > 0);
  if (unreadable.length === 0) return;
  const what = listed(unreadable.map(({ count, column: { one, many } }) => `${count} ${count === 1 ? one : many}`));
  const keys = [...new Set(unreadable.flatMap(({ keyIds }) => keyIds))].map((id) =>
    id === null ? 'a key from before key ids' : `key ${id}`,
  );
  const setting = config.encryptionSecret === null ? 'SERVICE_SECRET' : 'ENCRYPTION_SECRET';
  if (config.unreadableSecrets === 'accept') {
    log.error(
      { unreadable: what, keys },
      'Stored secrets cannot be decrypted; the service starts because UNREADABLE_SECRETS is accept',
    );
    return;
  }
  throw new ConfigError([
    `${setting} does not decrypt ${what}, which were encrypted with ${listed(keys)} (its own key is ${encryption.current.id}): ` +
      `set ${setting}_PREVIOUS to the secret that encrypted them; docs/operations/secrets.md explains how, and what to do if it is lost`,
  ]);
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
