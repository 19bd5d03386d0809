/** Every field of the supergraph with a scope, and every root field. */
import { type ObjectTypeDefinitionNode, parse } from 'graphql';
import { neededGrants } from '#schema/scopes-of-field.ts';
import { projectText } from '../support/project-files.ts';

const ROOTS = ['Query', 'Mutation'];

/** `Type.field` and its grants in alphabetical order, of which a caller needs one; empty for an open root field. */
export function supergraphFields(): ReadonlyMap<string, readonly string[]> {
  const types = parse(projectText('schema/supergraph.graphql')).definitions.filter(
    (definition): definition is ObjectTypeDefinitionNode => definition.kind === 'ObjectTypeDefinition',
  );
  return new Map(
    types.flatMap(({ name: type, fields = [] }) =>
      fields.flatMap((field) => {
        const grants = neededGrants(field);
        return grants === null && !ROOTS.includes(type.value)
          ? []
          : [[`${type.value}.${field.name.value}`, (grants ?? []).toSorted()] as const];
      }),
    ),
  );
}
