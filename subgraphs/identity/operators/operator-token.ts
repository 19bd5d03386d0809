/** Operator tokens: `op_` and 43 characters of base64url, 256 random bits. */
const FORMAT = /^op_[A-Za-z0-9_-]{43}$/;

/** `random` must be 32 fresh random bytes. */
export function makeOperatorToken(random: Buffer): string {
  return `op_${random.toString('base64url')}`;
}

export function hasOperatorTokenFormat(text: string): boolean {
  return FORMAT.test(text);
}
