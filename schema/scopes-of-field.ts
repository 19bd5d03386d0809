/** Reads `@scope(needs: …)` of a field and checks a caller's grants. Used by subgraphs and gateway. */
import type { FieldDefinitionNode } from 'graphql';

/** The grants of which a caller needs one, or `null` for an open field. */
export function neededGrants(field: FieldDefinitionNode | null | undefined): readonly string[] | null {
  const directive = field?.directives?.find(({ name }) => name.value === 'scope');
  const value = directive?.arguments?.find(({ name }) => name.value === 'needs')?.value;
  if (value === undefined) return null;
  if (value.kind === 'StringValue') return [value.value];
  return value.kind === 'ListValue'
    ? value.values.flatMap((item) => (item.kind === 'StringValue' ? [item.value] : []))
    : null;
}

/** The grant of an operator acting on a deleted organization. */
export const DELETION = 'deletion';

/** The grant of a session in sample data (decision 58). */
export const SAMPLE = 'sample';

/** The held grants that apply to a field. In sample data, only mutations of the sample itself are allowed. */
export function grantsFor(typeName: string, held: readonly string[]): readonly string[] {
  return typeName === 'Mutation' && held.includes(SAMPLE) ? [SAMPLE] : held;
}

/** The error message, or `null` if the caller has one of the needed grants. */
export function missingGrant(held: readonly string[], needs: readonly string[]): string | null {
  if (needs.some((grant) => held.includes(grant))) return null;
  if (held.includes(SAMPLE)) return 'This is sample data: go back to your own organization to do this';
  if (held.includes(DELETION)) return 'The organization is deleted: only its deletion can continue';
  return `This needs the scope ${needs.join(' or ')}`;
}
