/** Executes a subgraph's schema in process: no HTTP, no serialization; the principal is passed as a frozen object. */
import { type DocumentNode, type ExecutionResult, execute, parse } from 'graphql';
import { inSpan } from '../observability/tracing.ts';
import type { SubgraphContext } from '../subgraph/context.ts';
import { maskError } from '../subgraph/mask-error.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import { documentCompiler, plainValue, withCause } from './compile-documents.ts';
import type { GraphQLAnswer, SubgraphTransport } from './subgraph-transport.ts';

const PARSED_DOCUMENTS_MAX = 2_000;

/**
 * Total cache size. Callers write parts of the documents, and a parsed document takes about fifty times the memory of
 * its text.
 */
const PARSED_CHARACTERS_MAX = 1_000_000;

export function inProcessSubgraph({
  schema,
  database,
  log,
}: Pick<Subgraph, 'schema' | 'database' | 'log'>): SubgraphTransport {
  const parseOnce = createParser();
  const compileOnce = documentCompiler(schema);

  const spanName = () => `subgraph ${database.name}`;

  const transport: SubgraphTransport = {
    isRemote: false,
    async execute(query, variables, principal) {
      const contextValue: SubgraphContext = { principal, database, log };
      const run = () =>
        execute({
          schema,
          document: parseOnce(query),
          variableValues: variables,
          contextValue,
          fieldResolver: plainValue,
        });
      return masked(await inSpan(spanName, run), contextValue);
    },
    async executeOwn(query, variables, principal) {
      const context: SubgraphContext = { principal, database, log };
      const result = await inSpan(spanName, () => compileOnce(query)(context, variables));
      // Invalid variables: nothing was executed, and graphql-js describes the error.
      if (result.data === undefined) return transport.execute(query, variables, principal);
      return masked(result.errors ? { ...result, errors: result.errors.map(withCause) } : result, context);
    },
    close: async () => {},
  };
  return transport;
}

function masked({ data, errors }: ExecutionResult, context: SubgraphContext): GraphQLAnswer {
  if (data !== undefined && !errors) return { data };
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors ? { errors: errors.map((error) => maskError(error, context)) } : {}),
  };
}

/** Query plans repeat the same few documents, so each is parsed once. */
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
