/** Names of the end users among group values. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { MODEL_KEY, PROVIDER_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { AGENT_KEY, nameOfKey, type SelectedKey } from './cost-selection.ts';

/** Values of a group, in the order of the selection's groups. */
export type GroupValues = readonly (string | null)[];

/** Source object of the type `CostGroupValue`. */
export interface CostGroupValueView {
  readonly key: string;
  readonly value: string;
  readonly endUser: { readonly externalId: string } | null;
  readonly agent: { readonly agentId: string } | null;
  readonly model: { readonly slug: string } | null;
  readonly provider: { readonly slug: string } | null;
}

/** The entity that a value stands for, if the graph has one. */
function edgesOf(key: string, value: string): Pick<CostGroupValueView, 'agent' | 'model' | 'provider'> {
  return {
    agent: key === AGENT_KEY && value !== UNASSIGNED ? { agentId: value } : null,
    model: key === MODEL_KEY ? { slug: value } : null,
    provider: key === PROVIDER_KEY ? { slug: value } : null,
  };
}

const NO_EDGES = { agent: null, model: null, provider: null };

/** Converts a group's values to their displayed form. */
export type ToGroupValues = (values: GroupValues) => CostGroupValueView[];

const READ_NAMES = statement<
  { id: string; externalId: string },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>('select id, external_id from end_user where organization_id = :organizationId and id = any(:ids::uuid[])');

/** Reads the names of all end users in `rows` with one query. */
export async function readGroupNames(
  tx: Transaction,
  organizationId: OrganizationId,
  groups: readonly SelectedKey[],
  rows: readonly GroupValues[],
): Promise<ToGroupValues> {
  const ids = groups.flatMap(({ isEndUser }, place) => (isEndUser ? rows.map((values) => values[place]) : []));
  const named = ids.filter((id): id is string => typeof id === 'string' && id !== NO_END_USER);
  const found = named.length === 0 ? [] : await tx.all(READ_NAMES, { organizationId, ids: [...new Set(named)] });
  const externalIds = new Map(found.map(({ id, externalId }) => [id, externalId]));
  return (values) =>
    groups.map(({ key: ownKey, isEndUser }, place) => {
      const key = nameOfKey(ownKey);
      const value = values[place] ?? UNASSIGNED;
      if (!isEndUser) return { key, value, endUser: null, ...edgesOf(key, value) };
      const externalId = externalIds.get(value);
      return externalId === undefined
        ? { key, value: UNASSIGNED, endUser: null, ...NO_EDGES }
        : { key, value: externalId, endUser: { externalId }, ...NO_EDGES };
    });
}
