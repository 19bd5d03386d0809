/** What every page may reach. */
import type { GatewayClient } from '../../platform/gateway-client.ts';

export interface Surroundings {
  readonly gateway: GatewayClient;
  /** Signs the tokens of the forms. */
  readonly csrfKey: Buffer;
  /** Whether people come over https: cookies are then `Secure`. */
  readonly isSecure: boolean;
}
