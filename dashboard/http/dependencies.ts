/** What every page may reach. */
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { CsrfKeys } from './csrf-token.ts';

export interface Dependencies {
  readonly gateway: GatewayClient;
  /** Sign the tokens of the forms. */
  readonly csrfKeys: CsrfKeys;
  /** Whether people come over https: cookies are then `Secure`. */
  readonly isSecure: boolean;
  /** Whether people come by a host name: browsers make passkeys for no address. */
  readonly hasPasskeys: boolean;
  /** Where people reach the pages. */
  readonly appOrigin: string;
  /** Where programs reach the API. */
  readonly apiOrigin: string;
}
