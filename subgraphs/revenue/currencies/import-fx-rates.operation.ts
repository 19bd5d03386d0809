/** Imports the European Central Bank's file of reference rates, or the operator's own rates, for all organizations. Importing a file again adds nothing. */
import { databaseTime, liftTimeLimit } from '#platform/database/sql.ts';
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { FxRatesImported } from '../resolvers.generated.ts';
import type { FxSource } from './fx-rate.table.ts';
import { parseEcbRates } from './parse-ecb-rates.ts';
import { storeFxRates } from './store-fx-rates.step.ts';

/** Imports all rates or none. Fails with `VALIDATION_ERROR` for any other file. */
export function importFxRates(
  { database, principal }: Pick<SubgraphContext, 'database' | 'principal'>,
  { file, source }: { readonly file: string; readonly source: FxSource },
): Promise<FxRatesImported> {
  return database.system(async (tx) => {
    await liftTimeLimit(tx);
    const at = await databaseTime(tx);
    const rates = parseEcbRates(file, at.toISOString().slice(0, 'YYYY-MM-DD'.length));
    const imported = await storeFxRates(tx, rates, source, at);
    const { firstDay, lastDay, added, corrected } = imported;
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'fx_rates.imported',
      ...actorOf(principal),
      detail: `${source === 'own' ? 'own rates, ' : ''}${firstDay} to ${lastDay}: ${added} new, ${corrected} corrected`,
    });
    return imported;
  });
}
