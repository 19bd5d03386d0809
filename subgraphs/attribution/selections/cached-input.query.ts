/**
 * The input of a selection's groups, and how much of it was read from a cache. Charges count no token twice, whatever
 * the provider's counts include. Models that report no cached tokens in the window are left out.
 */
import { type AddParameter, query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import { EXPLAINED_FACTS_MAX } from '../config.ts';
import { MODEL_KEY, PROVIDER_KEY } from '../measures/rollup-keys.ts';
import { chargeRows } from '../rollups/charge-day.table.ts';
import { mayHavePending } from '../rollups/pending-day.table.ts';
import { readWindow } from '../rollups/read-window.query.ts';
import { chargesOfWindow } from '../rollups/window-charges.query.ts';
import { type CostSelection, isOfSomeEndUsers } from './cost-selection.ts';
import type { GroupValues } from './group-names.query.ts';
import { selectedFacts } from './selected-facts.query.ts';
import { hasTooMany, type SelectionQuery } from './selected-rows.query.ts';
import { matches, parameterOf } from './selection-conditions.query.ts';

export interface CachedInputRow {
  /** Values of the groups, as in costs. */
  readonly one: string | null;
  readonly other: string | null;
  /** True for the total of all groups. */
  readonly isTotal: boolean;
  /** Charged input tokens, whether uncached, written to a cache or read from it. */
  readonly input: string;
  readonly cached: string;
}

const isCached = (name: TokenClass) => name.startsWith('cacheRead');
const isInput = (name: TokenClass) => isCached(name) || name.startsWith('input') || name.startsWith('cacheCreation');
const namesOf = (is: (name: TokenClass) => boolean) => TOKEN_CLASS_NAMES.filter(is).map(wireName);

/** Returns the total, and the rows of those `groups` that have cached input. Empty if this needs too many facts. */
export async function readCachedInput(
  tx: Transaction,
  input: SelectionQuery,
  groups: readonly GroupValues[],
): Promise<CachedInputRow[]> {
  const models = await readReportingModels(tx, input);
  if (models.length === 0) return [];
  const isByDay = isOfModels(input.selection);
  if (!isByDay && (await hasTooMany(tx, { ...input, factsMax: EXPLAINED_FACTS_MAX }))) return [];
  const { text, parameters } = isByDay
    ? { text: '', parameters: [input.organizationId] as unknown[] }
    : selectedFacts(input, FACT_COLUMNS, []);
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const lists = (['provider', 'slug', 'model'] as const).map((name) => place(models.map((model) => model[name])));
  const charges = isByDay
    ? chargesOfModels(input, place, await mayHavePending(tx, input.organizationId))
    : `select * from (${chargeRows(text, ['one', 'other'])}) as charge`;
  const [all, cached] = [namesOf(isInput), namesOf(isCached)].map((names) => `any(${place(names)}::text[])`);
  const shown = place(groups.map(([one]) => one ?? ''));
  return query<CachedInputRow>(
    tx,
    `
    with reporting as materialized (
      select distinct * from unnest(${lists.map((list) => `${list}::text[]`).join(', ')}) as model (provider, slug, model))
    select one, other, grouping(one) = 1 as is_total, sum(quantity)::text as input,
      coalesce(sum(quantity) filter (where charge_class = ${cached}), 0)::text as cached
    from (${charges}) as charge
    where charge_class = ${all} and (provider, model) in (select provider, model from reporting)
    group by grouping sets ((one, other), ())
    having sum(quantity) > 0 and (grouping(one) = 1 or coalesce(one, '') = any(${shown}::text[]))`,
    parameters,
  );
}

const FACT_COLUMNS = 'organization_id, event_time, provider_slug, provider_name, model_slug, sequence, charges';

interface ReportingModel {
  /** The provider as charges show it: the slug, or the reported name if the catalogue does not know it. */
  readonly provider: string;
  readonly slug: string;
  readonly model: string;
}

/** Models with an event in the window that reported cached tokens. */
async function readReportingModels(
  tx: Transaction,
  { organizationId, window }: SelectionQuery,
): Promise<ReportingModel[]> {
  const rows = await readWindow<{ value: string }>(
    tx,
    { organizationId, key: MODEL_KEY, window },
    {
      columns: ['value', 'cache_read_input_tokens'],
      text: (all) => `select value from ${all} as part group by value having sum(cache_read_input_tokens) is not null`,
    },
  );
  return rows.map(({ value }) => {
    const [, slug, name, model] = JSON.parse(value) as [string, string, string, string];
    return { provider: slug === 'unknown' ? name : slug, slug, model };
  });
}

/** True if charges by day have all keys of the selection. */
function isOfModels(selection: CostSelection): boolean {
  const keys = [...selection.conditions, ...selection.groups.filter(({ isEndUser }) => !isEndUser)];
  return (
    keys.every(({ key }) => key === MODEL_KEY || key === PROVIDER_KEY) &&
    !isOfSomeEndUsers(selection) &&
    !selection.groups.some(({ isEndUser }) => isEndUser)
  );
}

function chargesOfModels({ window, selection }: SelectionQuery, place: AddParameter, hasPending: boolean): string {
  const valueOf = (key: string) => (key === MODEL_KEY ? 'model' : 'slug');
  const [one = 'null::text', other = 'null::text'] = selection.groups.map(({ key }) => valueOf(key));
  const where = selection.conditions.map((condition) =>
    matches(valueOf(condition.key), condition, place(parameterOf(condition))),
  );
  return `
    select ${one} as one, ${other} as other, provider, model, charge_class, quantity
    from (${chargesOfWindow(window, ['provider', 'model', 'charge_class', 'quantity'], place, hasPending)}) as charge
    join reporting using (provider, model) where ${['true', ...where].join(' and ')}`;
}
