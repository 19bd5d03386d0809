/**
 * Form of an OAuth request: a parameter without a value counts as missing, a repeated one is refused (RFC 6749,
 * section 3.2).
 */
import { readFormParameters } from '#platform/request-body/read-text.ts';
import { fail } from '#kernel/errors.ts';

export type Form = Readonly<Record<string, string | undefined>>;

/** Fails with `VALIDATION_ERROR` for a repeated parameter. */
export function readForm(body: unknown): Form {
  const parameters = readFormParameters(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  const sent = [...parameters].filter(([, value]) => value !== '');
  const form = new Map(sent);
  if (form.size < sent.length) fail('VALIDATION_ERROR', 'A parameter was sent more than once');
  return Object.fromEntries(form);
}
