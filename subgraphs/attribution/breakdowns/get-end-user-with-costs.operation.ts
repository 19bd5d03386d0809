/**
 * An end user with its costs by model, for documents that request nothing else. One statement then also shows if the
 * end user exists.
 */
import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues, Kind } from 'graphql';
import { endUserId } from '#kernel/end-user-id.ts';
import { parseWindow, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import type { EndUserModelCosts, QueryEndUserArgs } from '../resolvers.generated.ts';
import { modelCosts } from './model-costs.ts';
import { readEndUserWithModelCosts } from './model-costs.query.ts';

export interface EndUserWithCosts {
  readonly externalId: string;
  readonly costsByModel: EndUserModelCosts;
}

/** The parts of a resolver's `info` used here. */
type DocumentInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'schema' | 'variableValues'>;

/**
 * Null if the document requests anything else, or identifies the end user differently. Fails with `NOT_FOUND` if no
 * event has named the end user.
 */
export async function getEndUserWithCosts(
  context: SubgraphContext,
  { externalId, endUserId: id }: Partial<QueryEndUserArgs>,
  info: DocumentInfo,
): Promise<EndUserWithCosts | null> {
  const window = typeof externalId === 'string' && typeof id !== 'string' ? windowOfCosts(info) : null;
  if (window === null || typeof externalId !== 'string') return null;
  const organizationId = organizationOf(context);
  const uuid = endUserId(organizationId, externalId);
  const rows = await context.database.find(organizationId, (tx) =>
    readEndUserWithModelCosts(tx, organizationId, uuid, window),
  );
  if (rows === null) fail('NOT_FOUND', 'Unknown end user');
  return { externalId, costsByModel: { endUserId: uuid, ...modelCosts(rows) } };
}

/** Null unless `costsByModel` is the only field requested. */
function windowOfCosts({ fieldNodes, schema, variableValues }: DocumentInfo): Window | null {
  const selections = fieldNodes.length === 1 ? fieldNodes[0]!.selectionSet?.selections : undefined;
  const field = selections?.length === 1 ? selections[0] : undefined;
  if (field?.kind !== Kind.FIELD || field.name.value !== 'costsByModel' || field.directives?.length) return null;
  try {
    return parseWindow(argumentsOf(field, { schema, variableValues }));
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    // The field's own resolver reports the error.
    return null;
  }
}

/** Variables are already coerced; our own documents use nothing else. */
function argumentsOf(
  field: FieldNode,
  { schema, variableValues }: Pick<DocumentInfo, 'schema' | 'variableValues'>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, value } of field.arguments ?? []) {
    if (value.kind !== Kind.VARIABLE) {
      const { costsByModel } = (schema.getType('EndUser') as GraphQLObjectType).getFields();
      return getArgumentValues(costsByModel!, field, variableValues);
    }
    values[name.value] = variableValues[value.name.value];
  }
  return values;
}
