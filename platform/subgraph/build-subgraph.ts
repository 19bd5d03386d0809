/** Builds an executable schema from a subgraph's SDL and resolvers, with scope checks. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLObjectType, type GraphQLSchema, defaultFieldResolver, isObjectType, parse } from 'graphql';
import { scalarResolvers } from '#schema/scalars.ts';
import { grantsFor, missingGrant, neededGrants } from '#schema/scopes-of-field.ts';
import { fail } from '#kernel/errors.ts';
import type { SubgraphContext } from './context.ts';

const head = readFileSync(fileURLToPath(new URL('../../schema/head.graphql', import.meta.url)), 'utf8');

/** The subgraph's complete SDL: the shared head and its own file. */
export function subgraphSdl(schemaFile: URL): string {
  return `${head}\n${readFileSync(fileURLToPath(schemaFile), 'utf8')}`;
}

/** `resolvers` may be partial; shared scalars are added. Properties of `computedTypes` may be methods. */
export function buildSchema(schemaFile: URL, resolvers: object, computedTypes: readonly string[] = []): GraphQLSchema {
  const typeDefs = parse(subgraphSdl(schemaFile), { noLocation: true });
  const schema = buildSubgraphSchema([{ typeDefs, resolvers: { ...scalarResolvers, ...resolvers } as never }]);
  for (const name of computedTypes)
    for (const field of Object.values((schema.getType(name) as GraphQLObjectType).getFields()))
      field.resolve ??= defaultFieldResolver;
  return enforceScopes(schema);
}

/**
 * Adds a check to every field with `@scope(needs: …)`, so that the subgraph itself refuses. Changes the schema in
 * place and returns it.
 */
function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const needs = neededGrants(field.astNode);
      if (needs === null) continue;
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = (source, args, context: SubgraphContext, info) => {
        const missing = missingGrant(grantsFor(type.name, context.principal.grants), needs);
        if (missing) fail(context.principal.kind === 'anonymous' ? 'UNAUTHORIZED' : 'FORBIDDEN', missing);
        return resolve(source, args, context, info);
      };
    }
  }
  return schema;
}
