/** The code that confirms an e-mail address: 256 random bits, which the database finds by their hash. */
import { hash } from 'node:crypto';
import { DAY_SECONDS, later } from '#kernel/time/duration.ts';
import type { Sealing } from '#platform/seal.ts';
import { CHANNEL_SEAL, CONFIRMATION_DAYS } from '../config.ts';
import type { AlertChannelRow } from './alert-channel.table.ts';

const FORMAT = /^[A-Za-z0-9_-]{43}$/;

/**
 * A channel's columns for a new code. The code is sealed for the job that sends it. `random` must be 32 fresh random
 * bytes.
 */
export function newConfirmation(
  channelId: string,
  random: Buffer,
  at: Date,
  sealing: Sealing,
): Pick<AlertChannelRow, 'sealedSecret' | 'confirmedAt' | 'confirmationHash' | 'confirmationExpiresAt'> {
  const code = random.toString('base64url');
  return {
    sealedSecret: sealing.seal(code, CHANNEL_SEAL, channelId),
    confirmedAt: null,
    confirmationHash: hash('sha256', code, 'buffer'),
    confirmationExpiresAt: later(at, CONFIRMATION_DAYS * DAY_SECONDS),
  };
}

/** Null if the text is not a code. */
export function hashOfCode(code: string): Buffer | null {
  return FORMAT.test(code) ? hash('sha256', code, 'buffer') : null;
}
