/** How a process proves to another who asks: the headers that go with each request. */
import type { KeyRing } from '../key-ring.ts';
import type { Principal } from '../principal.ts';
import { signedTextOf, signPrincipal } from './signed-principal.ts';

export type Proof = (principal: Principal) => Readonly<Record<string, string>>;

/** Of a process that has the service secret. */
export function signedFor(audience: string, signing: KeyRing): Proof {
  return (principal) => ({ 'x-principal': signPrincipal(principal, audience, signing) });
}

/** Of a subgraph without the secret, to its gateway: it asks in its own name, or passes on what the gateway itself has signed. */
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
    throw new Error(`A subgraph cannot ask in the name of a caller of kind ${kind}`);
  };
}
