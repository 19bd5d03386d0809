/** Where an OAuth client may send a person back to: https, or http on this machine. Compared to the letter, never fetched. */
import { REDIRECT_URI_LENGTH_MAX } from '../config.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const FORM = /^(https?):\/\/([^/?#]+)/i;

/** What is wrong with a redirect URI, or `null`. */
export function redirectUriError(uri: unknown): string | null {
  if (typeof uri !== 'string') return 'A redirect URI must be a string';
  if (uri.length > REDIRECT_URI_LENGTH_MAX)
    return `A redirect URI must have at most ${REDIRECT_URI_LENGTH_MAX} characters`;
  if (!/^[\x21-\x7e]*$/.test(uri) || /[\\*#]/.test(uri))
    return 'A redirect URI must not hold whitespace, backslashes, wildcards, a fragment or characters that are not ASCII';
  const [, scheme = '', authority = ''] = FORM.exec(uri) ?? [];
  if (!URL.canParse(uri) || scheme === '') return 'A redirect URI must be an absolute https or loopback URI';
  if (authority.includes('@')) return 'A redirect URI must not hold a user name or password';
  if (scheme.toLowerCase() === 'http' && !LOOPBACK.includes(new URL(uri).hostname))
    return 'A redirect URI with http must name localhost, 127.0.0.1 or [::1]';
  return null;
}

/** Whether a redirect URI leads to the person's own machine. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.includes(new URL(uri).hostname);
}

/** The redirect URI with more parameters; what it had stays as it was. `null` values are left out. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const input = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(input).toString()}`;
}
