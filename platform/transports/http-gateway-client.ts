/** Calls the gateway in another process. */
import { parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Log } from '../log.ts';
import { type Principal, servicePrincipal } from '../principal.ts';
import { httpPeer } from './http-peer.ts';
import type { Proof } from './proof.ts';
import type { GraphQLAnswer } from './subgraph-transport.ts';

/** The gateway itself waits for subgraphs. */
const HOP_MILLISECONDS = 5_000;

export function httpGatewayClient(url: string, proof: Proof, log: Log): GatewayClient {
  const peer = httpPeer({
    name: 'The gateway',
    url,
    proof,
    log: log.child({ peer: 'gateway' }),
    hopMilliseconds: HOP_MILLISECONDS,
  });
  const post = async (path: string, body: string, principal: Principal): Promise<string> => {
    const { statusCode, bytes } = await peer.post(path, body, principal);
    if (statusCode !== 200) throw new Error(`The gateway responded with status ${statusCode}`);
    return bytes.toString();
  };
  return {
    async authenticate(credential, correlationId) {
      const principal = JSON.parse(
        await post('/principal', JSON.stringify(credential), servicePrincipal('edge', correlationId)),
      ) as Principal | null;
      return principal === null ? null : Object.freeze({ ...principal, correlationId });
    },
    async execute<Data>(document: string, variables: object, principal: Principal) {
      return parseExactJson(
        await post('/graphql', printExactJson({ query: document, variables }), principal),
      ) as GraphQLAnswer<Data>;
    },
    close: () => peer.close(),
  };
}
