/**
 * Redirect URIs of OAuth clients: https, or http on the person's own machine. They must match exactly and are never
 * fetched.
 */
import { REDIRECT_URI_LENGTH_MAX } from '../config.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const FORM = /^(https?):\/\/([^/?#]+)/i;

/** Returns the error in a redirect URI, or `null`. */
export function redirectUriError(uri: unknown): string | null {
  if (typeof uri !== 'string') return 'A redirect URI must be a string';
  if (uri.length > REDIRECT_URI_LENGTH_MAX)
    return `A redirect URI must have at most ${REDIRECT_URI_LENGTH_MAX} characters`;
  if (!/^[\x21-\x7e]*$/.test(uri) || /[\\*#]/.test(uri))
    return 'A redirect URI must not contain whitespace, backslashes, wildcards, a fragment or characters that are not ASCII';
  const [, scheme = '', authority = ''] = FORM.exec(uri) ?? [];
  if (!URL.canParse(uri) || scheme === '') return 'A redirect URI must be an absolute https or loopback URI';
  if (authority.includes('@')) return 'A redirect URI must not contain a user name or password';
  if (scheme.toLowerCase() === 'http' && !LOOPBACK.includes(new URL(uri).hostname))
    return 'A redirect URI with http must use localhost, 127.0.0.1 or [::1]';
  return null;
}

/** True if a redirect URI points to the person's own machine. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.includes(new URL(uri).hostname);
}

/** Adds parameters to a redirect URI without changing existing ones. Skips `null` values. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const input = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(input).toString()}`;
}
