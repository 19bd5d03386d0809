/** Reaches a subgraph in another process. */
import { KnownError } from '../../schema/errors.ts';
import { parseExactJson, printExactJson } from '../../kernel/exact-json.ts';
import type { Log } from '../log.ts';
import { httpPeer } from './http-peer.ts';
import type { Proof } from './proof.ts';
import type { GraphQLAnswer, SubgraphTransport } from './subgraph-transport.ts';

export function httpSubgraph(name: string, url: string, proof: Proof, log: Log): SubgraphTransport {
  const peer = httpPeer({ name: `The subgraph ${name}`, url, proof, log: log.child({ subgraph: name }) });
  const execute: SubgraphTransport['execute'] = async (query, variables, principal) => {
    try {
      const { text } = await peer.post('/graphql', printExactJson({ query, variables }), principal);
      return parseExactJson(text) as GraphQLAnswer;
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      return { errors: [{ message: error.message, extensions: { code: error.code } }] };
    }
  };
  return { execute, executeOwn: execute, close: () => peer.close() };
}
