/** Passwords as PHC strings of argon2id, by Node's own implementation. */
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ARGON2 } from '../config.ts';

const derive = promisify(argon2);

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** `salt` must be 16 fresh random bytes. */
export async function hashPassword(password: string, salt: Buffer): Promise<string> {
  const { memory, passes, parallelism, tagLength } = ARGON2;
  const tag = await derive('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Compares in constant time; a string of another form never matches. */
export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(phc) ?? [];
  if (!memory || !passes || !parallelism || !salt || !tag) return false;
  const expected = Buffer.from(tag, 'base64');
  const given = await derive('argon2id', {
    message: password, nonce: Buffer.from(salt, 'base64'), memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(expected, given);
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
