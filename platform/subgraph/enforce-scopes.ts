/** Puts a guard before every field that declares `@scope(needs: …)`: the subgraph itself refuses, whoever asks. */
import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { missingGrant, neededGrants } from '../../schema/scopes-of-field.ts';
import { fail } from '../../schema/errors.ts';
import type { SubgraphContext } from './context.ts';

/** Changes the schema in place and returns it. */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const needs = neededGrants(field.astNode);
      if (needs === null) continue;
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = (source, args, context: SubgraphContext, info) => {
        const missing = missingGrant(context.principal.grants, needs);
        if (missing) fail(context.principal.kind === 'anonymous' ? 'UNAUTHORIZED' : 'FORBIDDEN', missing);
        return resolve(source, args, context, info);
      };
    }
  }
  return schema;
}
