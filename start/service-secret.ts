/** The key rings of this process, from its settings or from a secret that is generated once into the data directory. */
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
  /** Principals between processes, tokens of forms. Every process has it. */
  readonly signing: KeyRing;
  /** What is encrypted at rest. Only processes with a database need it. */
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

/** For the one process: a secret that is not set is generated. */
export function keyRings(config: SecretSettings): KeyRings {
  return ringsOf(config.serviceSecret ?? generatedSecret(config), config);
}

/** Separate processes must share one secret; a generated one would differ in each. Throws {@link ConfigError}. */
export function sharedKeyRings(config: SecretSettings): KeyRings {
  if (config.serviceSecret === null) throw new ConfigError(['SERVICE_SECRET is required when processes are separate']);
  return ringsOf(config.serviceSecret, config);
}

/** What a subgraph in a process of its own needs to trust its gateway and to be trusted. */
export interface SubgraphTrust {
  readonly encryption: KeyRing;
  /** Of principals that the gateway has signed. */
  readonly gatewayKeys: PublicKeys;
  /** To the gateway. */
  readonly proof: Proof;
}

/**
 * By the service secret, or without it by a token of its own and the keys that the gateway shows: such a process can forge no principal.
 * Throws {@link ConfigError}.
 */
export function subgraphTrust(config: SecretSettings, gatewayUrl: string, log: Log): SubgraphTrust {
  const { serviceSecret, serviceToken, encryptionSecret, encryptionSecretPrevious } = config;
  if (serviceSecret !== null || serviceToken === null) {
    const { signing, encryption } = sharedKeyRings(config);
    return { encryption, gatewayKeys: publicKeysOf(signing), proof: signedFor(GATEWAY, signing) };
  }
  if (encryptionSecret === null)
    throw new ConfigError(['ENCRYPTION_SECRET is required where there is a SERVICE_TOKEN and no SERVICE_SECRET']);
  return {
    encryption: keyRing('encryption', [encryptionSecret, ...encryptionSecretPrevious]),
    gatewayKeys: fetchedKeys(`${gatewayUrl}/graphql/jwks.json`, log),
    proof: byServiceToken(serviceToken),
  };
}

/** With an encryption secret of its own nothing new is encrypted under the service secret; what was, still opens. */
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
  // Where the databases are elsewhere, nothing has made it yet.
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}
