/** Dependencies of every page. */
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import type { CsrfKeys } from './csrf-token.ts';

export interface Dependencies {
  readonly gateway: GatewayClient;
  /** Counts new events, as at the ingestion endpoints. */
  readonly eventLimiter: RateLimiter;
  /** Keys that sign the form tokens. */
  readonly csrfKeys: CsrfKeys;
  /** True if the pages are served over https; cookies are then `Secure`. */
  readonly isSecure: boolean;
  /** True if the pages have a host name: browsers create no passkeys for IP addresses. */
  readonly hasPasskeys: boolean;
  /** Public origin of the pages. */
  readonly appOrigin: string;
  /** Public origin of the API. */
  readonly apiOrigin: string;
}
