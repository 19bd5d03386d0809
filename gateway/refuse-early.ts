/** Refuses an operation whose fields need a scope that the caller lacks, before any subgraph is asked. */
import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { rootFields } from './root-fields.ts';
import { grantsFor, missingGrant, neededGrants } from '../schema/scopes-of-field.ts';

/** `Type.field` → the grants of which one is needed. */
export type ScopeTable = ReadonlyMap<string, readonly string[]>;

/** Reads the scopes off the supergraph: the API schema has lost its directives. */
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

export interface Refusals {
  /** `Type.field` → what the caller lacks. */
  readonly denied: ReadonlyMap<string, string>;
  /** Whether every field that the operation begins with is denied: nothing is left to ask for. */
  readonly isWhole: boolean;
}

export function refusals(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  scopes: ScopeTable,
  grants: readonly string[],
): Refusals {
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
  const root = schema.getRootType(operation.operation)?.name;
  const isWhole = rootFields(document, operation).every((field) => denied.has(`${root}.${field}`));
  return { denied, isWhole };
}
