/** Where passkeys can be made at all, and which kinds of them. */
import { type RelyingParty, relyingPartyOf } from '../../../../schema/relying-party.ts';
import { fail } from '../../../../schema/errors.ts';

/** COSE algorithms: EdDSA, ES256 and RS256, one of which every authenticator has. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** Fails with `VALIDATION_ERROR` where there can be no passkeys. */
export function requireRelyingParty(appUrl: string): RelyingParty {
  return (
    relyingPartyOf(appUrl) ??
    fail(
      'VALIDATION_ERROR',
      'Passkeys need a host name: the operator sets APP_URL to one, such as http://localhost:8080',
    )
  );
}
