/** Executes a subgraph's schema directly: no HTTP, no serialization, the frozen principal passed as it is. */
import { type DocumentNode, execute, parse } from 'graphql';
import { inSpan } from '../observability/tracing.ts';
import { maskError } from '../subgraph/mask-error.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import type { SubgraphContext } from '../subgraph/context.ts';
import type { SubgraphTransport } from './subgraph-transport.ts';

const PARSED_DOCUMENTS_MAX = 2_000;

/** Of all documents together. Callers write parts of them, and what is parsed takes some fifty times the memory of its text. */
const PARSED_CHARACTERS_MAX = 1_000_000;

export function inProcessSubgraph(subgraph: Pick<Subgraph, 'schema' | 'database' | 'log'>): SubgraphTransport {
  const parseOnce = createParser();
  return {
    async execute(query, variables, principal) {
      const contextValue: SubgraphContext = { principal, database: subgraph.database, log: subgraph.log };
      const run = async () =>
        execute({ schema: subgraph.schema, document: parseOnce(query), variableValues: variables, contextValue });
      const { data, errors } = await inSpan(() => `subgraph ${subgraph.database.name}`, run);
      return {
        ...(data === undefined ? {} : { data }),
        ...(errors ? { errors: errors.map((error) => maskError(error, contextValue)) } : {}),
      };
    },
    close: async () => {},
  };
}

/** Query plans send the same few documents again and again: each is parsed once. */
export function createParser(): (query: string) => DocumentNode {
  const documents = new Map<string, DocumentNode>();
  let characters = 0;
  return (query) => {
    const known = documents.get(query);
    if (known) return known;
    const document = parse(query, { noLocation: true });
    documents.set(query, document);
    characters += query.length;
    for (const oldest of documents.keys()) {
      if (documents.size <= PARSED_DOCUMENTS_MAX && characters <= PARSED_CHARACTERS_MAX) break;
      documents.delete(oldest);
      characters -= oldest.length;
    }
    return document;
  };
}
