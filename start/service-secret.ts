/** The key rings of this process, from its settings or from a secret that is generated once into the data directory. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../platform/config.ts';
import { type KeyRing, keyRing } from '../platform/key-ring.ts';
import { randomBytes } from '../platform/random.ts';

export interface KeyRings {
  /** Principals between processes, tokens of forms. Every process has it. */
  readonly signing: KeyRing;
  /** What is encrypted at rest. Only processes with a database need it. */
  readonly encryption: KeyRing;
}

type SecretSettings = Pick<
  Config,
  'dataDirectory' | 'serviceSecret' | 'serviceSecretPrevious' | 'encryptionSecret' | 'encryptionSecretPrevious'
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
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}
