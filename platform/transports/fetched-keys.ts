/** Public keys from the gateway's JWKS endpoint (RFC 7517), fetched again when a principal names an unknown key. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { request } from 'undici';
import { elapsedMilliseconds } from '../clock.ts';
import type { Log } from '../log.ts';
import type { PublicJwk, PublicKeys } from './signed-principal.ts';

const MILLISECONDS_MAX = 2_000;
const READ_EVERY_MILLISECONDS = 5_000;

/**
 * A key that the gateway no longer publishes is valid until the next fetch or the end of the process. Never fails: an
 * unreadable key is unknown.
 */
export function fetchedKeys(url: string, log: Log): PublicKeys {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(MILLISECONDS_MAX) });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      const shown = (await body.json()) as { keys: readonly PublicJwk[] };
      keys = new Map(shown.keys.map((key) => [key.kid, createPublicKey({ key: { ...key }, format: 'jwk' })]));
    } catch (error) {
      log.warn({ url, cause: (error as Error).message }, 'The keys of the gateway cannot be read');
    }
  };
  return async (kid) => {
    if (!keys.has(kid) && (reading !== null || elapsedMilliseconds() - readAt >= READ_EVERY_MILLISECONDS)) {
      if (reading === null) readAt = elapsedMilliseconds();
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    return keys.get(kid) ?? null;
  };
}
