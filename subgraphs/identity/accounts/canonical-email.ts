/**
 * Normalizes e-mail addresses. Accounts are stored, looked up and rate-limited by the normalized form: with the typed
 * form, a second spelling would bypass a limit.
 */

const EMAIL_LENGTH_MAX = 254;
/**
 * One `@`, no empty labels, and no invisible characters: whitespace, control and format characters, or lone
 * surrogates.
 */
const EMAIL = /^[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cf}\p{Cs}.]+(\.[^\s@\p{Cc}\p{Cf}\p{Cs}.]+)*$/u;

/**
 * Trims the address and converts it to lower case and NFC (RFC 6532, section 3.1). Returns `null` if no account can
 * have this address.
 */
export function canonicalEmail(typed: string): string | null {
  const email = typed.trim().toLowerCase().normalize('NFC');
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) ? email : null;
}
