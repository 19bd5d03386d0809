/**
 * The one spelling of an e-mail address by which an account is stored, looked up and limited. Whatever else counted or
 * compared an address as it was typed would let a second spelling of it around the limit.
 */

const EMAIL_LENGTH_MAX = 254;
/** One `@`, no empty label; nothing that is not seen: whitespace, control and format characters, halves of a character. */
const EMAIL = /^[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cf}\p{Cs}.]+(\.[^\s@\p{Cc}\p{Cf}\p{Cs}.]+)*$/u;

/** Trimmed, in lower case, in Unicode's NFC (RFC 6532, section 3.1). `null`: no account can have this address. */
export function canonicalEmail(typed: string): string | null {
  const email = typed.trim().toLowerCase().normalize('NFC');
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) ? email : null;
}
