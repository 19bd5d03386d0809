/**
 * Windows that a fetch would return, for use while its subgraph is unavailable. A window consists only of its id and its
 * two ends, so other subgraphs can still be queried for their panels of it.
 */
import { Kind, type OperationDefinitionNode, parse, valueFromASTUntyped, type FieldNode } from 'graphql';
import type { Principal } from '#platform/principal.ts';
import { KnownError } from '#kernel/errors.ts';
import { requestedWindow, windowId } from '#kernel/time/requested-window.ts';

/** The caller, and the time of the request. */
interface Requested {
  readonly principal: Pick<Principal, 'organizationId'>;
  readonly requestedAt: Date;
}

/** The windows in the data of `document`; null if it starts none, or only invalid ones. */
export function knownWindows(
  document: string,
  variables: Readonly<Record<string, unknown>>,
  { principal, requestedAt }: Requested,
): Record<string, unknown> | null {
  const operation = parse(document, { noLocation: true }).definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const windows = fieldsOf(operation)
    .filter(({ name }) => name.value === 'window')
    .map((field) => [responseName(field), toWindow(field, variables, { principal, requestedAt })] as const)
    .filter(([, window]) => window !== null);
  return windows.length > 0 ? Object.fromEntries(windows) : null;
}

function toWindow(
  field: FieldNode,
  variables: Readonly<Record<string, unknown>>,
  { principal, requestedAt }: Requested,
): Record<string, unknown> | null {
  const args = Object.fromEntries(
    (field.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
  try {
    const window = requestedWindow(args, requestedAt);
    const values: Readonly<Record<string, string>> = {
      __typename: 'Window',
      id: windowId(principal.organizationId, window),
      start: window.start.iso,
      end: window.end.iso,
    };
    // Null marks a field as lost: a subgraph that needs it for one panel is still queried for the others.
    return Object.fromEntries(fieldsOf(field).map((part) => [responseName(part), values[part.name.value] ?? null]));
  } catch (error) {
    if (error instanceof KnownError) return null;
    throw error;
  }
}

/** Query plans contain fragments only on interface types. */
function fieldsOf(node: OperationDefinitionNode | FieldNode | undefined): FieldNode[] {
  return (node?.selectionSet?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD);
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
