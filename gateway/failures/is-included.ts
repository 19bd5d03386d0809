/** Evaluates `@skip` and `@include` of a selection. */
import { Kind, type OperationDefinitionNode, type SelectionNode, type ValueNode } from 'graphql';

/** A variable that was not sent has its default value; without one it counts as false. */
export function isIncluded(
  { directives = [] }: SelectionNode,
  operation: OperationDefinitionNode | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  return directives.every(({ name, arguments: args = [] }) => {
    const condition = args.find((argument) => argument.name.value === 'if')?.value;
    if (name.value !== 'skip' && name.value !== 'include') return true;
    return (condition && isTrue(condition, operation, variables)) === (name.value === 'include');
  });
}

function isTrue(
  value: ValueNode,
  operation: OperationDefinitionNode | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN && value.value;
  const sent = variables[value.name.value];
  if (sent !== undefined) return sent === true;
  const definition = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === value.name.value);
  return definition?.defaultValue?.kind === Kind.BOOLEAN && definition.defaultValue.value;
}
