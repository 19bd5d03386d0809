/** Passwords as PHC strings of argon2id, by Node's own implementation. */
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ARGON2, PASSWORD_HASHES_MAX } from '../config.ts';

const derive = promisify(argon2);
const inTurn = takeTurns(PASSWORD_HASHES_MAX);

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Hash that no password matches. Checked if there is no account, so that the response takes the same time. */
export const UNMATCHED_PASSWORD = phc(Buffer.alloc(ARGON2.saltLength), Buffer.alloc(ARGON2.tagLength));

/** `salt` must be 16 fresh random bytes. */
export async function hashPassword(password: string, salt: Buffer): Promise<string> {
  const { memory, passes, parallelism, tagLength } = ARGON2;
  return phc(
    salt,
    await inTurn(() => derive('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength })),
  );
}

/** Compares in constant time; a malformed string never matches. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(stored) ?? [];
  if (!memory || !passes || !parallelism || !salt || !tag) return false;
  const expected = Buffer.from(tag, 'base64');
  const input = await inTurn(() =>
    derive('argon2id', {
      message: password,
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expected.length,
    }),
  );
  return timingSafeEqual(expected, input);
}

function phc(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = ARGON2;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Limits the number of concurrent tasks; the others wait in order. */
export function takeTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The slot passes to the task that has waited longest.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
