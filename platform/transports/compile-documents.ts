/** Makes functions of documents of our own, of which there is a fixed number: interpreting one costs more than the rest of a small request. */
import { type ExecutionResult, GraphQLError, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql';
import { importWithout } from '../import-without.ts';
import type { SubgraphContext } from '../subgraph/context.ts';

/** It could print answers too, by schemas of JSON. */
const PRINTING = { specifier: 'fast-json-stringify', importer: '/graphql-jit/' };
const { compileQuery, isCompiledQuery } = await importWithout([PRINTING], () => import('graphql-jit'));

/** Without `data` where the variables do not fit. */
export type CompiledDocument = (
  context: SubgraphContext,
  variables: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles each once. Throws for one that the schema does not fit. */
export function documentCompiler(schema: GraphQLSchema): (query: string) => CompiledDocument {
  const compiled = new Map<string, CompiledDocument>();
  return (query) => {
    const known = compiled.get(query);
    if (known) return known;
    const made = compileQuery(schema, parse(query, { noLocation: true }));
    if (!isCompiledQuery(made)) throw new Error(made.errors?.[0]?.message ?? 'The document cannot be compiled');
    const run: CompiledDocument = (context, variables) => made.query(undefined, context, variables);
    compiled.set(query, run);
    return run;
  };
}

/** An error of such a document as graphql has it: where a value does not fit its type, a cause says that the fault is ours. */
export function withCause(error: GraphQLError): GraphQLError {
  if (error.originalError) return error;
  return new GraphQLError(error.message, { path: error.path, originalError: new Error(error.message) });
}

/**
 * Gives a field that has no resolver what lies in its place. Compiled documents take that as it is, so all documents do. Throws where it is a
 * function or a promise: a field that is worked out needs a resolver.
 */
export const plainValue: GraphQLFieldResolver<unknown, unknown> = (source, _args, _context, info) => {
  const value = (source as Readonly<Record<string, unknown>> | null | undefined)?.[info.fieldName];
  if (typeof value === 'function' || value instanceof Promise)
    throw new Error(
      `${info.parentType.name}.${info.fieldName} is worked out: give it a resolver, or name its type in computedTypes of the subgraph's main.ts`,
    );
  return value;
};
