/** Who asks the gateway from another process of this service: by a principal that was signed, or by the token of a subgraph. */
import type { FastifyRequest } from 'fastify';
import type { KeyRing } from '../platform/key-ring.ts';
import { type Principal, servicePrincipal } from '../platform/principal.ts';
import { serviceOfToken } from '../platform/transports/service-token.ts';
import { GATEWAY, publicKeysOf, verifyPrincipal } from '../platform/transports/signed-principal.ts';
import { fail } from '../schema/errors.ts';
import { bearerOf } from './admit-caller.ts';

export interface InternalOptions {
  readonly signing: KeyRing;
  /** What they were given for a caller, they may ask the gateway for that caller. */
  readonly ownSubgraphs: readonly string[];
}

/** Of another process of this service; `null`: the request comes from outside. Fails with `UNAUTHORIZED` for a signature that is none. */
export async function internalPrincipal(request: FastifyRequest, options: InternalOptions): Promise<Principal | null> {
  const own = ownService(request, options);
  if (own !== null) {
    // In the name of an organization it reads, as subgraphs that joined do.
    if (request.headers['x-organization-id'] !== undefined) return null;
    return servicePrincipal(own, request.correlationId);
  }
  const signed = request.headers['x-principal'];
  if (signed === undefined) return null;
  const { signing, ownSubgraphs } = options;
  const principal = await verifyPrincipal(String(signed), [GATEWAY, ...ownSubgraphs], publicKeysOf(signing));
  return principal ?? fail('UNAUTHORIZED', 'The signature of the principal is not valid');
}

/** Which subgraph of this repository shows its token. */
function ownService({ headers }: FastifyRequest, { signing, ownSubgraphs }: InternalOptions): string | null {
  const token = bearerOf(headers);
  const name = token === null ? null : serviceOfToken(token, signing);
  return name !== null && ownSubgraphs.includes(name) ? name : null;
}
