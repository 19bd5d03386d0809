/** Reads `@scope(needs: …)` off a field and says what a caller lacks. One rule for subgraphs and gateway. */
import type { FieldDefinitionNode } from 'graphql';

/** The grants of which a caller needs one, or `null` for a field that is open. */
export function neededGrants(field: FieldDefinitionNode | null | undefined): readonly string[] | null {
  const directive = field?.directives?.find(({ name }) => name.value === 'scope');
  const value = directive?.arguments?.find(({ name }) => name.value === 'needs')?.value;
  if (value === undefined) return null;
  if (value.kind === 'StringValue') return [value.value];
  return value.kind === 'ListValue'
    ? value.values.flatMap((item) => (item.kind === 'StringValue' ? [item.value] : []))
    : null;
}

/** The grant of an operator who names an organization that is deleted. */
export const DELETION = 'deletion';

/** The grant of a session that is in the sample data of its organization (decision 58). */
export const SAMPLE = 'sample';

/** What of the held grants counts for a field of a type: in sample data nothing is changed but by what names the sample itself. */
export function grantsFor(typeName: string, held: readonly string[]): readonly string[] {
  return typeName === 'Mutation' && held.includes(SAMPLE) ? [SAMPLE] : held;
}

/** The message of a refusal, or `null` when one of the needed grants is held. */
export function missingGrant(held: readonly string[], needs: readonly string[]): string | null {
  if (needs.some((grant) => held.includes(grant))) return null;
  if (held.includes(SAMPLE)) return 'This is sample data: go back to your own organization to do this';
  if (held.includes(DELETION)) return 'The organization is deleted: nothing but its deletion goes on';
  return `This needs the scope ${needs.join(' or ')}`;
}
