/** The key rings of this process: from settings, or from a secret generated once in the data directory. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '#platform/config.ts';
import { type KeyRing, keyRing } from '#platform/key-ring.ts';
import type { Log } from '#platform/log.ts';
import { randomBytes } from '#platform/random.ts';
import { fetchedKeys } from '#platform/transports/fetched-keys.ts';
import { byServiceToken, type Proof, signedFor } from '#platform/transports/proof.ts';
import { GATEWAY, type PublicKeys, publicKeysOf } from '#platform/transports/signed-principal.ts';

export interface KeyRings {
  /** Signs principals between processes, and form tokens. Every process needs it. */
  readonly signing: KeyRing;
  /** Encrypts values at rest. Only processes with a database need it. */
  readonly encryption: KeyRing;
}

type SecretSettings = Pick<
  Config,
  | 'dataDirectory'
  | 'serviceSecret'
  | 'serviceSecretPrevious'
  | 'encryptionSecret'
  | 'encryptionSecretPrevious'
  | 'serviceToken'
>;

/** For the single process: a missing secret is generated. */
export function keyRings(config: SecretSettings): KeyRings {
  return ringsOf(config.serviceSecret ?? generatedSecret(config), config);
}

/** Separate processes must share one secret; a generated one would differ in each. Throws {@link ConfigError}. */
export function sharedKeyRings(config: SecretSettings): KeyRings {
  if (config.serviceSecret === null) throw new ConfigError(['SERVICE_SECRET is required when processes are separate']);
  return ringsOf(config.serviceSecret, config);
}

/** What a subgraph in a separate process needs to authenticate the gateway, and itself to the gateway. */
export interface SubgraphTrust {
  readonly encryption: KeyRing;
  /** Verify principals signed by the gateway. */
  readonly gatewayKeys: PublicKeys;
  /** Authenticates this process to the gateway. */
  readonly proof: Proof;
}

/**
 * Uses the service secret, or else a service token and the gateway's published keys; such a process cannot forge
 * principals. Throws {@link ConfigError}.
 */
export function subgraphTrust(config: SecretSettings, gatewayUrl: string, log: Log): SubgraphTrust {
  const { serviceSecret, serviceToken, encryptionSecret, encryptionSecretPrevious } = config;
  if (serviceSecret !== null || serviceToken === null) {
    const { signing, encryption } = sharedKeyRings(config);
    return { encryption, gatewayKeys: publicKeysOf(signing), proof: signedFor(GATEWAY, signing) };
  }
  if (encryptionSecret === null)
    throw new ConfigError(['ENCRYPTION_SECRET is required if SERVICE_TOKEN is set and SERVICE_SECRET is not']);
  return {
    encryption: keyRing('encryption', [encryptionSecret, ...encryptionSecretPrevious]),
    gatewayKeys: fetchedKeys(`${gatewayUrl}/graphql/jwks.json`, log),
    proof: byServiceToken(serviceToken),
  };
}

/**
 * If an encryption secret is set, new values are encrypted with it; older values can still be decrypted with the
 * service secret.
 */
function ringsOf(
  serviceSecret: string,
  { serviceSecretPrevious, encryptionSecret, encryptionSecretPrevious }: SecretSettings,
): KeyRings {
  const encryption = [
    ...(encryptionSecret === null ? [] : [encryptionSecret]),
    serviceSecret,
    ...encryptionSecretPrevious,
    ...serviceSecretPrevious,
  ];
  return {
    signing: keyRing('signing', [serviceSecret, ...serviceSecretPrevious]),
    encryption: keyRing('encryption', encryption as [string, ...string[]]),
  };
}

export function secretFile({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return join(dataDirectory, 'service-secret');
}

function generatedSecret(config: Pick<Config, 'dataDirectory'>): string {
  const file = secretFile(config);
  // If the databases are external, the directory does not exist yet.
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}
