/** Headers that authenticate a request between processes. */
import type { KeyRing } from '../key-ring.ts';
import type { Principal } from '../principal.ts';
import { signedTextOf, signPrincipal } from './signed-principal.ts';

export type Proof = (principal: Principal) => Readonly<Record<string, string>>;

/** Signs principals for one audience, in a process with the service secret. */
export function signedFor(audience: string, signing: KeyRing): Proof {
  return (principal) => ({ 'x-principal': signPrincipal(principal, audience, signing) });
}

/** For a subgraph without the secret: it authenticates as itself, or forwards the principal that the gateway signed. */
export function byServiceToken(token: string): Proof {
  return (principal) => {
    const signed = signedTextOf(principal);
    if (signed !== null) return { 'x-principal': signed };
    const { kind, organizationId } = principal;
    if (kind === 'service')
      return {
        authorization: `Bearer ${token}`,
        ...(organizationId === null ? {} : { 'x-organization-id': organizationId }),
      };
    throw new Error(`A subgraph cannot act for a caller of kind ${kind}`);
  };
}
