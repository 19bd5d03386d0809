/**
 * The windows that a fetch starts, for when its subgraph is away: a window is nothing but its two ends, so the other subgraphs can still
 * be asked for their panels of it.
 */
import { Kind, type OperationDefinitionNode, parse, valueFromASTUntyped, type FieldNode } from 'graphql';
import { KnownError } from '../../schema/errors.ts';
import { requestedWindow } from '../../kernel/time/requested-window.ts';

/** The data of `document` as far as it is windows; null where it starts none, or none that is valid. */
export function knownWindows(
  document: string,
  variables: Readonly<Record<string, unknown>>,
  now: Date,
): Record<string, unknown> | null {
  const operation = parse(document, { noLocation: true }).definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const windows = fieldsOf(operation)
    .filter(({ name }) => name.value === 'window')
    .map((field) => [responseName(field), toWindow(field, variables, now)] as const)
    .filter(([, window]) => window !== null);
  return windows.length > 0 ? Object.fromEntries(windows) : null;
}

function toWindow(
  field: FieldNode,
  variables: Readonly<Record<string, unknown>>,
  now: Date,
): Record<string, unknown> | null {
  const args = Object.fromEntries(
    (field.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
  try {
    const { start, end } = requestedWindow(args, now);
    const values: Readonly<Record<string, string>> = { __typename: 'Window', start: start.iso, end: end.iso };
    // What is null is known to be lost: who needs it for one panel is still asked for the others.
    return Object.fromEntries(fieldsOf(field).map((part) => [responseName(part), values[part.name.value] ?? null]));
  } catch (error) {
    if (error instanceof KnownError) return null;
    throw error;
  }
}

/** Query plans write no fragments on types that are no interface. */
function fieldsOf(node: OperationDefinitionNode | FieldNode | undefined): FieldNode[] {
  return (node?.selectionSet?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD);
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
