/** Imports the European Central Bank's file of reference rates, or the operator's own rates, for all organizations. Importing a file again adds nothing. */
import { databaseTime, liftTimeLimit } from '#platform/database/sql.ts';
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { FxRatesImported } from '../resolvers.generated.ts';
import { queueAllConversions } from './conversion-queue.table.ts';
import { addFxRates, type FxSource } from './fx-rate.table.ts';
import { parseEcbRates } from './parse-ecb-rates.ts';

const RATES_PER_STATEMENT = 20_000;

/** Imports all rates or none. Fails with `VALIDATION_ERROR` for any other file. */
export function importFxRates(
  { database, principal }: Pick<SubgraphContext, 'database' | 'principal'>,
  { file, source }: { readonly file: string; readonly source: FxSource },
): Promise<FxRatesImported> {
  return database.system(async (tx) => {
    await liftTimeLimit(tx);
    const at = await databaseTime(tx);
    const rates = parseEcbRates(file, at.toISOString().slice(0, 'YYYY-MM-DD'.length));
    let [added, corrected] = [0, 0];
    for (let from = 0; from < rates.length; from += RATES_PER_STATEMENT) {
      const part = await addFxRates(tx, source, rates.slice(from, from + RATES_PER_STATEMENT), at);
      added += part.added;
      corrected += part.corrected;
    }
    const days = rates.map(({ day }) => day).sort();
    const [firstDay = '', lastDay = ''] = [days[0], days.at(-1)];
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'fx_rates.imported',
      ...actorOf(principal),
      detail: `${source === 'own' ? 'own rates, ' : ''}${firstDay} to ${lastDay}: ${added} new, ${corrected} corrected`,
    });
    await queueAllConversions(tx);
    return { firstDay, lastDay, added, corrected, unchanged: rates.length - added - corrected };
  });
}
