/** Refuses an operation with fields whose scope the caller lacks, before any subgraph is queried. */
import { type DocumentNode, type GraphQLSchema, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { grantsFor, missingGrant, neededGrants } from '#schema/scopes-of-field.ts';

/** `Type.field` → grants, one of which is required. */
export type ScopeTable = ReadonlyMap<string, readonly string[]>;

/** Reads the scopes from the supergraph, since the API schema has no directives. */
export function scopeTable(supergraphSdl: string): ScopeTable {
  const table = new Map<string, readonly string[]>();
  for (const node of parse(supergraphSdl, { noLocation: true }).definitions) {
    if (node.kind !== 'ObjectTypeDefinition') continue;
    for (const field of node.fields ?? []) {
      const needs = neededGrants(field);
      if (needs) table.set(`${node.name.value}.${field.name.value}`, needs);
    }
  }
  return table;
}

/** `Type.field` → the grant that the caller lacks. */
export function refusals(
  document: DocumentNode,
  schema: GraphQLSchema,
  scopes: ScopeTable,
  grants: readonly string[],
): ReadonlyMap<string, string> {
  const denied = new Map<string, string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType();
        const needs = parent && scopes.get(`${parent.name}.${node.name.value}`);
        const message = needs ? missingGrant(grantsFor(parent.name, grants), needs) : null;
        if (message !== null) denied.set(`${parent?.name}.${node.name.value}`, message);
      },
    }),
  );
  return denied;
}
