/** The operator's token: `op_` and 43 characters of base64url, 256 random bits. */
import { randomBytes } from '../../../platform/random.ts';

const FORMAT = /^op_[A-Za-z0-9_-]{43}$/;

export function makeOperatorToken(): string {
  return `op_${randomBytes(32).toString('base64url')}`;
}

export function hasOperatorTokenFormat(text: string): boolean {
  return FORMAT.test(text);
}
