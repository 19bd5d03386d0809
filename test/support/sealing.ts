/** Seals as a service with this secret would; what it says when something cannot be opened goes nowhere. */
import { pino } from 'pino';
import { keyRing } from '#platform/key-ring.ts';
import { type Sealing, sealingWith } from '#platform/seal.ts';

export function sealingUnder(secret: string, ...previous: string[]): Sealing {
  return sealingWith(keyRing('encryption', [secret, ...previous]), pino({ level: 'silent' }));
}
