/**
 * The schema for callers that accept only responses without errors, like `askGateway`: fields that are null only along
 * with an error (`@semanticNonNull`) are never null.
 */
import { type DocumentNode, Kind, parse, visit } from 'graphql';

/** `text`: the supergraph or the API schema. The directives are read from the supergraph. */
export function wholeAnswers(text: string, supergraph: string): DocumentNode {
  const marked = markedFields(parse(supergraph, { noLocation: true }));
  let typeName = '';
  return visit(parse(text), {
    ObjectTypeDefinition: (type) => {
      typeName = type.name.value;
    },
    FieldDefinition: (field) =>
      marked.has(`${typeName}.${field.name.value}`) && field.type.kind !== Kind.NON_NULL_TYPE
        ? { ...field, type: { kind: Kind.NON_NULL_TYPE, type: field.type } }
        : undefined,
  });
}

function markedFields({ definitions }: DocumentNode): ReadonlySet<string> {
  return new Set(
    definitions.flatMap((type) =>
      type.kind === Kind.OBJECT_TYPE_DEFINITION
        ? (type.fields ?? [])
            .filter(({ directives }) => directives?.some(({ name }) => name.value === 'semanticNonNull'))
            .map(({ name }) => `${type.name.value}.${name.value}`)
        : [],
    ),
  );
}
