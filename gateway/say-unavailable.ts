/** The status of an answer that holds nothing because something is away: 503, and when to ask again. */
import type { HeaderMap } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
import { retryAfterSeconds } from '../schema/errors.ts';

/** Leaves an answer alone that holds anything: a panel fails by itself, the others are shown. */
export function sayUnavailable(
  http: { status?: number; headers: HeaderMap },
  { data, errors }: { readonly data?: unknown; readonly errors?: readonly GraphQLFormattedError[] },
): void {
  const away = errors?.find(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE');
  if (!away || holdsAnything(data)) return;
  const { details = {} } = away.extensions as { details?: Readonly<Record<string, unknown>> };
  http.status = 503;
  http.headers.set('retry-after', String(retryAfterSeconds({ code: 'SERVICE_UNAVAILABLE', details })));
}

/** An empty list is an answer; an object whose fields are all null is none. */
function holdsAnything(data: unknown): boolean {
  if (typeof data !== 'object' || Array.isArray(data)) return data !== undefined;
  return data !== null && Object.entries(data).some(([name, value]) => name !== '__typename' && holdsAnything(value));
}
