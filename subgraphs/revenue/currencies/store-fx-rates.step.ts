/** Stores exchange rates for all organizations, and queues the records that wait for them. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { FxRatesImported } from '../resolvers.generated.ts';
import { queueAllConversions } from './conversion-queue.table.ts';
import { addFxRates, type FxSource, type StatedRate } from './fx-rate.table.ts';

const RATES_PER_STATEMENT = 20_000;

/** Rates that are already known add nothing. `rates` must not be empty. */
export async function storeFxRates(
  tx: WriteTransaction,
  rates: readonly StatedRate[],
  source: FxSource,
  at: Date,
): Promise<FxRatesImported> {
  let [added, corrected] = [0, 0];
  for (let from = 0; from < rates.length; from += RATES_PER_STATEMENT) {
    const part = await addFxRates(tx, source, rates.slice(from, from + RATES_PER_STATEMENT), at);
    added += part.added;
    corrected += part.corrected;
  }
  const days = rates.map(({ day }) => day).sort();
  if (added + corrected > 0) await queueAllConversions(tx);
  return {
    firstDay: days[0] ?? '',
    lastDay: days.at(-1) ?? '',
    added,
    corrected,
    unchanged: rates.length - added - corrected,
  };
}
