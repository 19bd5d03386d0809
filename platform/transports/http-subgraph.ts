/** Reaches a subgraph in another process: an undici pool, the principal signed with a key of `SERVICE_SECRET`. */
import { Pool } from 'undici';
import { parseExactJson, printExactJson } from '../../kernel/exact-json.ts';
import type { KeyRing } from '../key-ring.ts';
import { signPrincipal } from '../principal.ts';
import type { GraphQLAnswer, SubgraphTransport } from './subgraph-transport.ts';

const CONNECTIONS_MAX = 64;

export function httpSubgraph(url: string, signing: KeyRing): SubgraphTransport {
  const pool = new Pool(new URL(url).origin, { connections: CONNECTIONS_MAX, pipelining: 1 });
  const path = `${new URL(url).pathname.replace(/\/$/, '')}/graphql`;
  return {
    async execute(query, variables, principal) {
      const { statusCode, body } = await pool.request({
        path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'x-correlation-id': principal.correlationId,
          'x-principal': signPrincipal(principal, signing),
        },
        body: printExactJson({ query, variables }),
      });
      const text = await body.text();
      if (statusCode >= 500) throw new Error(`A subgraph answered with status ${statusCode}`);
      return parseExactJson(text) as GraphQLAnswer;
    },
    close: () => pool.close(),
  };
}
