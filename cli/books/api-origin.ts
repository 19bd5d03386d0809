/** The address of the service as a person gives it. */
import { UsageError } from '../kit/usage-error.ts';

export const DEFAULT_API = 'http://127.0.0.1:8080';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The origin; what is behind it is the contract's. Throws when it is none. */
export function apiOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--api must be an address such as https://api.example.com, not ${text}`);
  return url.origin;
}

/** Whether a key would travel in the clear. */
export function isInTheClear(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !LOOPBACK.includes(hostname);
}
