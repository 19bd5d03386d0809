/** The form in which PostgreSQL stores a password (RFC 5803), so that the password itself is in no statement or log. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { randomBytes } from '../../random.ts';

const ITERATIONS = 4096;

/** `password` is ASCII, which needs no normalization. */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
