/**
 * Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds; supported by every authenticator app.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../secrets/base32.ts';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Number of steps by which a clock may be off in either direction. */
const DRIFT_STEPS = 1;
const CODE = /^\d{6}$/;

export const TOTP_SECRET_BYTES = 20;

/** The code of a time step (RFC 4226, section 5.3). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Number of the time step that contains an instant (RFC 6238, section 4.2). */
export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / 1000 / STEP_SECONDS);
}

/**
 * Returns the newest matching step within the drift and after `lastStep`, or `null`. Every step is compared, for
 * constant time.
 */
export function matchingStep(secret: Buffer, code: string, time: Date, lastStep: number): number | null {
  if (!CODE.test(code)) return null;
  let found: number | null = null;
  for (let step = stepAt(time) - DRIFT_STEPS; step <= stepAt(time) + DRIFT_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)) && step > lastStep) found = step;
  }
  return found;
}

/** The content of a QR code for an authenticator app; `account` is shown next to the code. */
export function otpauthUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
