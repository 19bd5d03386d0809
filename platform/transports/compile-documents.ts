/** Compiles our own documents, whose number is fixed: interpreting one costs more than the rest of a small request. */
import { type ExecutionResult, GraphQLError, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { SubgraphContext } from '../subgraph/context.ts';

/** Executes a document. The result has no `data` if the variables are invalid. */
export type CompiledDocument = (
  context: SubgraphContext,
  variables: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles each document once. Throws if it is not valid against the schema. */
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

/** Converts an error to graphql-js's form; a value of the wrong type gets a cause that marks it as our defect. */
export function withCause(error: GraphQLError): GraphQLError {
  if (error.originalError) return error;
  return new GraphQLError(error.message, { path: error.path, originalError: new Error(error.message) });
}

/**
 * Default resolver: returns the property. Compiled documents do the same. Throws if the property is a function or
 * promise: a computed field needs a resolver.
 */
export const plainValue: GraphQLFieldResolver<unknown, unknown> = (source, _args, _context, info) => {
  const value = (source as Readonly<Record<string, unknown>> | null | undefined)?.[info.fieldName];
  if (typeof value === 'function' || value instanceof Promise)
    throw new Error(
      `${info.parentType.name}.${info.fieldName} is computed: give it a resolver, or add its type to computedTypes in the subgraph's main.ts`,
    );
  return value;
};
