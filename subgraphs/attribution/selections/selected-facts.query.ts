/** SQL for the facts of a selection. */
import type { AddParameter } from '#platform/database/sql.ts';
import { MODEL_KEY, PROVIDER_KEY, SESSION_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import type { SelectedKey } from './cost-selection.ts';
import type { SelectionQuery } from './selected-rows.query.ts';
import { endUserConditions, matches, parameterOf } from './selection-conditions.query.ts';

/** The selected facts of the window, with the group values `one` and `other`, and the instant `at`. */
export function selectedFacts(
  input: SelectionQuery,
  measures: string,
  conditions: readonly string[],
): { readonly text: string; readonly parameters: unknown[] } {
  const { organizationId, window, selection } = input;
  const own: unknown[] = [organizationId, window.start.iso, window.end.iso];
  const place = (value: unknown) => `$${own.push(value)}`;
  const ofSome = endUserConditions(input, place).map(({ onFacts }) => onFacts);
  const where = selection.conditions.map((condition) =>
    matches(factValue(condition.key, place), condition, place(parameterOf(condition))),
  );
  const [one, other] = selection.groups.map((group) => groupOfFact(group, place));
  const text = `(
    select ${one ?? 'null::text'} as one, ${other ?? 'null::text'} as other, event_time as at, ${measures}
    from cost_fact where ${[
      'organization_id = $1',
      'event_time >= $2::timestamptz',
      'event_time < $3::timestamptz',
      ...ofSome,
      ...where,
      ...conditions,
    ].join(' and ')})`;
  return { text, parameters: own };
}

function groupOfFact({ key, isEndUser }: SelectedKey, place: AddParameter): string {
  return isEndUser ? `coalesce(end_user_id, '${NO_END_USER}')::text` : factValue(key, place);
}

/** A fact's value, the same as `valueInRollup` gives for a rollup. */
function factValue(key: string, place: AddParameter): string {
  if (key === MODEL_KEY) return 'model_slug';
  if (key === SESSION_KEY) return `coalesce(session_id, '${UNASSIGNED}')`;
  return key === PROVIDER_KEY ? 'provider_slug' : `coalesce(dimensions ->> ${place(key)}::text, '${UNASSIGNED}')`;
}
