/** Adds due statements to the outbox. A statement whose figures cannot be read is tried again. */
import { later } from '#kernel/time/duration.ts';
import { uuidV5 } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { STATEMENT_RETRY_SECONDS } from '../config.ts';
import { statementPayload } from '../deliveries/alert-payload.ts';
import { enqueueMessage } from '../deliveries/enqueue-deliveries.step.ts';
import { readerOf } from '../figures/graph-reader.step.ts';
import { statementPath } from '../figures/page-path.ts';
import { dayWords, monthWords } from '../figures/words.ts';
import { readStatement } from './read-statement.step.ts';
import { periodEnd, periodStart, statementDueAt } from './statement-period.ts';
import { advanceSchedule, claimStatement, type DueStatement } from './statement-schedule.table.ts';
import { statementSentence } from './statement-sentence.ts';

const REST_MILLISECONDS = 5_000;

type Dependencies = Pick<SubgraphDependencies, 'database' | 'log' | 'config'> & { readonly gateway: GatewayClient };

export function sendStatements({ database, gateway, log, config }: Dependencies): Job {
  return {
    name: 'send-statements',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const at = now();
      const due = await database.system((tx) => claimStatement(tx, at, later(at, STATEMENT_RETRY_SECONDS)));
      if (due === null) return 'idle';
      try {
        await send(due, at);
      } catch (error) {
        log.warn({ err: error, ...due }, 'A statement could not be prepared');
      }
      return 'more';
    },
  };

  async function send(due: DueStatement, at: Date): Promise<void> {
    const { organizationId, period, periodStart: start } = due;
    const end = periodEnd(start, period);
    const before = periodStart(new Date(start.getTime() - 1), period);
    const figures = await readStatement(readerOf(gateway, organizationId), { before, start, end });
    const payload = statementPayload(organizationId, {
      title: titleOf(due, end),
      sentence: statementSentence(figures, period),
      link: `${config.appUrl}${pathOf(due)}`,
      at,
    });
    await database.system(async (tx) => {
      const next = { start: end, dueAt: statementDueAt(end, period) };
      const channelIds = await advanceSchedule(tx, due, next);
      if (channelIds === null) return;
      const idOf = (channelId: string) => uuidV5(channelId, `statement ${period} ${start.toISOString()}`);
      await enqueueMessage(tx, organizationId, { payload, episodeId: null, at, channelIds, idOf });
    });
  }
}

function titleOf({ period, periodStart: start }: DueStatement, end: Date): string {
  if (period === 'MONTH') return `Statement for ${monthWords(start.toISOString())}`;
  return `Statement for ${dayWords(start.toISOString())} to ${dayWords(new Date(end.getTime() - 1).toISOString())}`;
}

function pathOf({ period, periodStart: start }: DueStatement): string {
  const day = start.toISOString().slice(0, 'YYYY-MM-DD'.length);
  return period === 'MONTH' ? statementPath('month', day.slice(0, 'YYYY-MM'.length)) : statementPath('week', day);
}
