/** Makes an executable schema of a subgraph's SDL and resolvers, guarded by its scopes. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';
import { scalarResolvers } from '../../schema/scalars.ts';
import { enforceScopes } from './enforce-scopes.ts';

const head = readFileSync(fileURLToPath(new URL('../../schema/head.graphql', import.meta.url)), 'utf8');

/** The whole SDL of a subgraph: the common head, then its own file. */
export function subgraphSdl(schemaFile: URL): string {
  return `${head}\n${readFileSync(fileURLToPath(schemaFile), 'utf8')}`;
}

/** `resolvers` may hold any subset of the schema's; the shared scalars are added. */
export function buildSchema(schemaFile: URL, resolvers: object): GraphQLSchema {
  const typeDefs = parse(subgraphSdl(schemaFile));
  return enforceScopes(buildSubgraphSchema([{ typeDefs, resolvers: { ...scalarResolvers, ...resolvers } as never }]));
}
