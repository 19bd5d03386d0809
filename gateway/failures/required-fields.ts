/** The fields that a field of a supergraph requires from other subgraphs (`@requires`). */
import { type GraphQLField, Kind, parse } from 'graphql';

/** Names of the required fields, without what is selected below them. */
export function requiredFields({ astNode }: GraphQLField<unknown, unknown>): readonly string[] {
  return (astNode?.directives ?? [])
    .filter(({ name }) => name.value === 'join__field')
    .flatMap((directive) => directive.arguments ?? [])
    .flatMap(({ name, value }) =>
      name.value === 'requires' && value.kind === Kind.STRING ? fieldsOf(value.value) : [],
    );
}

function fieldsOf(selection: string): string[] {
  const [definition] = parse(`{ ${selection} }`).definitions;
  const selections = definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
  return selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
}
