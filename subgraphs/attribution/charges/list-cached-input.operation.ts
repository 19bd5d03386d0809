/** `Window.cachedInput`: how much of the input of each model came from a cache. */
import type { Window } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import type { CachedInput } from '../resolvers.generated.ts';
import { chargesOfWindow } from './charge-days.query.ts';

const MODELS_MAX = 1_000;
const PERCENT = 100;

const isCached = (name: TokenClass) => name.startsWith('cacheRead');
const isInput = (name: TokenClass) => isCached(name) || name.startsWith('input') || name.startsWith('cacheCreation');
const namesOf = (is: (name: TokenClass) => boolean) => TOKEN_CLASS_NAMES.filter(is).map(wireName);

/** The models with the most input first. Charges count no token twice, whatever the provider's counts include. */
export async function listCachedInput(context: SubgraphContext, window: Window): Promise<CachedInput[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.find(organizationId, (tx) => readInput(tx, organizationId, window));
  return rows.map((row) => {
    const [input, cached] = [Number(row.input), Number(row.cached)];
    return { provider: row.provider, model: row.model, input, cached, percent: (cached / input) * PERCENT };
  });
}

interface InputRow {
  readonly provider: string;
  readonly model: string;
  readonly input: string;
  readonly cached: string;
}

function readInput(tx: Transaction, organizationId: string, window: Window): Promise<InputRow[]> {
  const parameters: unknown[] = [organizationId];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const rows = chargesOfWindow(window, ['provider', 'model', 'charge_class', 'quantity'], place);
  const [input, cached] = [namesOf(isInput), namesOf(isCached)].map((names) => `any(${place(names)}::text[])`);
  return query<InputRow>(
    tx,
    `
    select provider, model, sum(quantity)::text as input,
      coalesce(sum(quantity) filter (where charge_class = ${cached}), 0)::text as cached
    from (${rows}) as charge where charge_class = ${input} group by 1, 2 having sum(quantity) > 0
    order by sum(quantity) desc, provider collate "C", model collate "C" limit ${MODELS_MAX}`,
    parameters,
  );
}
