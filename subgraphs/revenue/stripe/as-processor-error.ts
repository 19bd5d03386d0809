/** Translates errors of Stripe's client. */
import Stripe from 'stripe';
import { OutboundRefused } from '#platform/outbound/outbound-client.ts';
import { ProcessorError } from './processor-error.ts';

/** Removes the key, which the processor may repeat in its message. */
export function asProcessorError(error: unknown, key: string): ProcessorError {
  if (error instanceof ProcessorError) return error;
  const cause = error instanceof Stripe.errors.StripeConnectionError ? (error.detail as unknown) : null;
  if (cause instanceof ProcessorError) return cause;
  if (cause instanceof OutboundRefused)
    return new ProcessorError('unavailable', `The payment processor was not contacted: ${cause.message}`);
  const said =
    error instanceof Error
      ? error.message
          .replaceAll(key, '[key]')
          .replaceAll(/\b[sr]k_(live|test)_\S+/g, '[key]')
          .slice(0, 500)
      : 'no reason given';
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return new ProcessorError('refused', `The payment processor rejected the key: ${said}`);
  if (error instanceof Stripe.errors.StripePermissionError)
    return new ProcessorError('refused', `The key lacks a permission: ${said}`);
  if (error instanceof Stripe.errors.StripeRateLimitError || statusOf(error) === 429) {
    return new ProcessorError('limited', 'The payment processor limits requests: retrying later', retryAfter(error));
  }
  if (statusOf(error) === 404 || codeOf(error) === 'resource_missing')
    return new ProcessorError('missing', `The payment processor has no such object: ${said}`);
  const status = statusOf(error);
  if (status !== null && status >= 400 && status < 500 && status !== 408 && status !== 409) {
    return new ProcessorError('junk', `The payment processor rejected the request: ${said}`);
  }
  return new ProcessorError('unavailable', `The payment processor cannot be reached: ${said}`, retryAfter(error));
}

function statusOf(error: unknown): number | null {
  return error instanceof Stripe.errors.StripeError ? (error.statusCode ?? null) : null;
}

function codeOf(error: unknown): string | null {
  return error instanceof Stripe.errors.StripeError ? (error.code ?? null) : null;
}

function retryAfter(error: unknown): number | null {
  const header = error instanceof Stripe.errors.StripeError ? error.headers?.['retry-after'] : undefined;
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
