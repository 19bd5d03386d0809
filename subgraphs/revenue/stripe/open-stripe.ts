/** A client of the processor for one account. Retries are ours: a step that failed is taken again later. */
import Stripe from 'stripe';
import { PROCESSOR_TIMEOUT_MILLISECONDS } from '../config.ts';

/** `apiBase` is an origin without `/v1`, or null for Stripe's own. */
export function openStripe(key: string, apiBase: string | null): Stripe {
  const options = { maxNetworkRetries: 0, timeout: PROCESSOR_TIMEOUT_MILLISECONDS, telemetry: false };
  if (apiBase === null) return new Stripe(key, options);
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return new Stripe(key, {
    ...options,
    protocol: isPlain ? 'http' : 'https',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
  });
}
