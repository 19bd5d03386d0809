/** The token of an `Authorization` header (RFC 6750). */
import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +([^\s]+)$/i;

/** Undefined if the header is missing or contains anything but one `Bearer` token. */
export function bearerTokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
