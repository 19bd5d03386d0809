/** Fetches the European Central Bank's reference rates several times a day, if the operator has set `FX_RATES_URL`. */
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { databaseTime, liftTimeLimit } from '#platform/database/sql.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { fail } from '#kernel/errors.ts';
import { parseEcbRates } from './parse-ecb-rates.ts';
import { csvOfEcbXml } from './read-ecb-xml.ts';
import { storeFxRates } from './store-fx-rates.step.ts';

/** A day's rates are published once, in the afternoon. */
const PULL_EVERY_MS = DAY_MS / 4;
const BYTES_MAX = 16 * 1024 * 1024;

/** A failure is logged and tried again after an hour. Several processes may fetch the same rates: the second adds nothing. */
export function pullFxRatesJob(
  { database, log }: Pick<SubgraphDependencies, 'database' | 'log'>,
  { url, outbound }: { readonly url: string; readonly outbound: Outbound },
): Job {
  let dueAtMs = 0;
  return {
    name: 'pull-fx-rates',
    restMilliseconds: HOUR_MS,
    async step() {
      if (now().getTime() < dueAtMs) return 'idle';
      const failed = (done: 'fetched' | 'stored') => (error: unknown) => {
        log.warn({ err: error, url }, `Exchange rates could not be ${done} and will be tried again`);
        return null;
      };
      const file = await fetchFile(outbound, url).catch(failed('fetched'));
      if (file === null) return 'idle';
      const storing = database.system(async (tx) => {
        await liftTimeLimit(tx);
        const at = await databaseTime(tx);
        return storeFxRates(tx, parseEcbRates(file, at.toISOString().slice(0, 'YYYY-MM-DD'.length)), 'ecb', at);
      });
      const imported = await storing.catch(failed('stored'));
      if (imported === null) return 'idle';
      log.info(imported, 'Exchange rates fetched');
      dueAtMs = now().getTime() + PULL_EVERY_MS;
      return 'idle';
    },
  };
}

/** Fails if the response is not a file of rates. */
async function fetchFile(outbound: Outbound, url: string): Promise<string> {
  const { status, text, isWhole } = await outbound.request({
    url,
    method: 'GET',
    headers: { accept: 'application/xml, text/csv' },
    body: null,
    answerBytesMax: BYTES_MAX,
  });
  if (status !== 200) fail('VALIDATION_ERROR', `The response has status ${status}`);
  if (!isWhole) fail('VALIDATION_ERROR', 'The response is too large');
  const file = /^\uFEFF?\s*</.test(text) ? csvOfEcbXml(text) : text;
  parseEcbRates(file, now().toISOString().slice(0, 'YYYY-MM-DD'.length));
  return file;
}
