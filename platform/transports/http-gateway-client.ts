/** Reaches the gateway in another process, with the principal signed with a key of `SERVICE_SECRET`. */
import { Pool } from 'undici';
import { parseExactJson, printExactJson } from '../../kernel/exact-json.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { KeyRing } from '../key-ring.ts';
import { type Principal, signPrincipal, servicePrincipal } from '../principal.ts';
import type { GraphQLAnswer } from './subgraph-transport.ts';

const CONNECTIONS_MAX = 64;

export function httpGatewayClient(url: string, signing: KeyRing): GatewayClient {
  const pool = new Pool(new URL(url).origin, { connections: CONNECTIONS_MAX, pipelining: 1 });
  const base = new URL(url).pathname.replace(/\/$/, '');
  const post = async (path: string, body: string, principal: Principal): Promise<string> => {
    const answer = await pool.request({
      path: `${base}${path}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-correlation-id': principal.correlationId, 'x-principal': signPrincipal(principal, signing) },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`The gateway answered with status ${answer.statusCode}`);
    return text;
  };
  return {
    async authenticate(credential, correlationId) {
      const principal = JSON.parse(await post('/principal', JSON.stringify(credential), servicePrincipal('edge', correlationId))) as Principal | null;
      return principal === null ? null : Object.freeze({ ...principal, correlationId });
    },
    async execute<Data>(document: string, variables: object, principal: Principal) {
      return parseExactJson(await post('/graphql', printExactJson({ query: document, variables }), principal)) as GraphQLAnswer<Data>;
    },
    close: () => pool.close(),
  };
}
