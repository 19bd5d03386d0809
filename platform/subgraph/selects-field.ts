/**
 * Determines if a document selects a field, so that figures that need a query of their own are read only if
 * requested.
 */
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The parts of a resolver's `info` used here. */
export type DocumentInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/** `within`: fields of the result below which the field may be. */
export function selectsField(
  { fieldNodes, fragments, variableValues }: DocumentInfo,
  field: string,
  within: readonly string[] = [],
): boolean {
  const isSkipped = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] === false;
  const isIn = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (isSkipped(selection)) return false;
      if (selection.kind === 'FragmentSpread') return isIn(fragments[selection.name.value]?.selectionSet);
      if (selection.kind === 'InlineFragment') return isIn(selection.selectionSet);
      const name = selection.name.value;
      return name === field || (within.includes(name) && isIn(selection.selectionSet));
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => isIn(selectionSet));
}
