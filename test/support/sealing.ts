/** Encrypts as a service with this secret would; its log is discarded. */
import { pino } from 'pino';
import { keyRing } from '#platform/key-ring.ts';
import { type Sealing, sealingWith } from '#platform/seal.ts';

export function sealingUnder(secret: string, ...previous: string[]): Sealing {
  return sealingWith(keyRing('encryption', [secret, ...previous]), pino({ level: 'silent' }));
}
