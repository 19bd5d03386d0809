/** True if the client accepts gzip. */
import type { FastifyRequest } from 'fastify';

export function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!;q=0(?:\.0+)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
}
