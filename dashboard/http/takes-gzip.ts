import type { FastifyRequest } from 'fastify';

/** True if the client accepts gzip. */
export function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!;q=0(?:\.0+)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
}
