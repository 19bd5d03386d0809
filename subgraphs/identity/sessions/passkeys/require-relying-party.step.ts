/** Requirements for passkeys: the relying party and the algorithms. */
import { type RelyingParty, relyingPartyOf } from '#schema/relying-party.ts';
import { fail } from '#kernel/errors.ts';

/** COSE algorithms EdDSA, ES256 and RS256; every authenticator supports one of them. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** Fails with `VALIDATION_ERROR` if passkeys are not possible at this address. */
export function requireRelyingParty(appUrl: string): RelyingParty {
  return (
    relyingPartyOf(appUrl) ??
    fail(
      'VALIDATION_ERROR',
      'Passkeys require a host name: the operator must set APP_URL to one, such as http://localhost:8080',
    )
  );
}
