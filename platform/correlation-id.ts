/** The id that ties a request to its answer, its errors and the logs: the caller's own where it is harmless. */
import { randomUuid } from './random.ts';

const SAFE = /^[A-Za-z0-9._:-]{1,128}$/;

export function correlationIdOf(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && SAFE.test(sent) ? sent : randomUuid();
}
