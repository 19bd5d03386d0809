/** The token of an `Authorization` header (RFC 6750). */
import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +([^\s]+)$/i;

export function bearerTokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
