/** How the OAuth endpoints refuse, once for each status. */
import type { JsonSchema } from '../json-schema.ts';
import { CORRELATION_HEADER } from './responses.ts';

const CODES: Readonly<Record<string, string>> = {
  400: 'authorization_pending', 413: 'invalid_request', 415: 'invalid_request', 429: 'temporarily_unavailable', 500: 'server_error',
  503: 'temporarily_unavailable',
};

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'Refused: `error` says why.',
  413: '`invalid_request`: the body is too large.',
  415: '`invalid_request`: the body is of another type.',
  429: '`temporarily_unavailable`: too many from this address; wait as Retry-After says.',
  500: '`server_error`: a fault of the service.',
  503: '`temporarily_unavailable`: a part of the service is away; wait as Retry-After says.',
};

export const OAUTH_REFUSALS: JsonSchema = Object.fromEntries(Object.entries(DESCRIPTIONS).map(([status, description]) => [`OAuth${status}`, {
  description,
  headers: { ...CORRELATION_HEADER, ...(status === '429' || status === '503' ? { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } } : {}) },
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/OAuthError' },
      example: { error: CODES[status], error_description: description.replace(/^`\w+`: /, '') },
    },
  },
}]));
