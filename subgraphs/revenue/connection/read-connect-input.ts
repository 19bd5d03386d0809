/** What a person may connect. */
import { fail } from '../../../schema/errors.ts';

export interface ConnectInput {
  readonly processor: string;
  readonly apiKey: string;
  readonly apiBase: string | null;
  readonly endUserKey: string;
}

/**
 * Stops with `VALIDATION_ERROR` for what cannot be meant. Only an operator may name an address: a customer who could would make the
 * service send requests into its own network.
 */
export function readConnectInput(input: ConnectInput, isOperator: boolean): ConnectInput {
  if (input.processor !== 'stripe') fail('VALIDATION_ERROR', 'processor must be stripe');
  if (!/^[\x21-\x7e]{1,255}$/.test(input.apiKey)) fail('VALIDATION_ERROR', 'apiKey must be 1 to 255 visible characters');
  if (!/^[^\0]{1,40}$/u.test(input.endUserKey)) fail('VALIDATION_ERROR', 'endUserKey must be 1 to 40 characters');
  if (input.apiBase === null) return input;
  if (!isOperator) fail('FORBIDDEN', 'Only an operator may set apiBase');
  return { ...input, apiBase: readOrigin(input.apiBase) };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /^\/*$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  return isOrigin
    ? url.origin
    : fail('VALIDATION_ERROR', 'apiBase must be an origin such as https://api.example.com, without /v1');
}
