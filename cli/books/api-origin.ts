/** Parses the service URL that a user gives. */
import { UsageError } from '../kit/usage-error.ts';

export const DEFAULT_API = 'http://127.0.0.1:8080';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the origin; paths are defined by the contract. Throws if the text is not a URL. */
export function apiOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--api must be an address such as https://api.example.com, not ${text}`);
  return url.origin;
}

/** True if a key would be sent unencrypted. */
export function isInTheClear(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !LOOPBACK.includes(hostname);
}
