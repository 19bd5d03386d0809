/**
 * Fields of the graph that fail by themselves (`@semanticNonNull`), with the subgraphs that resolve them. Read from
 * the supergraph.
 */
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
} from 'graphql';

/** `Type.field` → names of subgraphs. */
export type Panels = ReadonlyMap<string, readonly string[]>;

export function panelsOf({ definitions }: DocumentNode): Panels {
  const panels = new Map<string, readonly string[]>();
  for (const type of definitions) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const field of type.fields ?? []) {
      if (directivesOf(field, 'semanticNonNull').length > 0)
        panels.set(`${type.name.value}.${field.name.value}`, subgraphsOf(type, field));
    }
  }
  return panels;
}

/** A field that names no subgraph belongs to all subgraphs of its type. */
function subgraphsOf(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): readonly string[] {
  const own = directivesOf(field, 'join__field').filter((directive) => argumentOf(directive, 'external') !== true);
  return (own.length > 0 ? own : directivesOf(type, 'join__type')).map((directive) =>
    String(argumentOf(directive, 'graph')).toLowerCase(),
  );
}

function directivesOf(node: ObjectTypeDefinitionNode | FieldDefinitionNode, name: string): ConstDirectiveNode[] {
  return (node.directives ?? []).filter((directive) => directive.name.value === name);
}

function argumentOf({ arguments: args }: ConstDirectiveNode, name: string): unknown {
  const value = args?.find((argument) => argument.name.value === name)?.value;
  return value && 'value' in value ? value.value : undefined;
}
