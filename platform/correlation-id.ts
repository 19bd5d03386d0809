/** The id that links a request to its response, errors and logs: the caller's own if it is safe. */
import { randomUuid } from './random.ts';

const SAFE = /^[A-Za-z0-9._:-]{1,128}$/;

export function correlationIdOf(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && SAFE.test(sent) ? sent : randomUuid();
}
