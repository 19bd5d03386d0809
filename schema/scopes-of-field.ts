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

/** The message of a refusal, or `null` when one of the needed grants is held. */
export function missingGrant(held: readonly string[], needs: readonly string[]): string | null {
  if (needs.some((grant) => held.includes(grant))) return null;
  if (held.includes(DELETION)) return 'The organization is deleted: nothing but its deletion goes on';
  return `This needs the scope ${needs.join(' or ')}`;
}
