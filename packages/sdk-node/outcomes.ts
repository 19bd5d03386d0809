/** Reports outcomes: completed tasks and failed attempts. They have a queue of their own, and a folder in the spool. */
import type { DeliveryStats } from './books-options.ts';
import type { CallContext } from './call-context.ts';
import { nowMs } from './clock.ts';
import { createDelivery, statsOf } from './delivery.ts';
import type { Fetch } from './metered-fetch.ts';
import { createPostBatch } from './post-batch.ts';
import { builtin } from './runtime.ts';
import { openSpool } from './spool.ts';
import { watchExit } from './watch-exit.ts';

export interface OutcomeInput {
  /** Kind of task, such as `ticket_resolved`. */
  readonly name: string;
  /** False for an attempt that failed. */
  readonly succeeded: boolean;
  /** When the task was completed or failed. Default: now. */
  readonly at?: Date | undefined;
  /** The task: the dimension `task_id` of its calls. Default: the task of the context. */
  readonly taskId?: string | undefined;
  /** The session, which is used if there is no task. Default: the session of the context. */
  readonly sessionId?: string | undefined;
  /** Default: the end user of the context. */
  readonly userId?: string | undefined;
  /** Default: the agent of the context. */
  readonly agentId?: string | undefined;
  /** Value of the completed task. */
  readonly value?: number | string | undefined;
  /** ISO 4217. Default: USD. */
  readonly currency?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
}

interface OutcomesInput {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** Directory of the spool, if there is one. */
  readonly directory: string | undefined;
  readonly spoolBytes: number;
  readonly bufferBytes: number;
  drop(outcome: string, reason: string): void;
  report(error: unknown): void;
}

export interface Outcomes {
  add(key: string, outcome: OutcomeInput, context: CallContext): void;
  flush(timeoutMs: number): Promise<boolean>;
  stats(): DeliveryStats;
  close(): void;
}

const NO_STATS: DeliveryStats = {
  sent: 0,
  pending: 0,
  pendingBytes: 0,
  rejected: 0,
  dropped: 0,
  retries: 0,
  spoolErrors: 0,
  lastError: null,
};

export function createOutcomes({ directory, spoolBytes, drop, report, ...input }: OutcomesInput): Outcomes {
  const folder = directory === undefined ? null : `${directory}/outcomes`;
  const open = () => {
    const spool = folder === null ? null : openSpool(folder, spoolBytes, report);
    const exit = watchExit(spool, () => delivery);
    const delivery = createDelivery({
      post: createPostBatch({ ...input, mode: 'outcomes' }),
      spool,
      bufferBytes: input.bufferBytes,
      drop,
      report,
      watch: exit.watch,
    });
    return { delivery, exit, spool };
  };
  // The first outcome starts the delivery. It starts now if an earlier process left outcomes in the folder.
  let opened = folder !== null && builtin('node:fs')?.existsSync(folder) ? open() : null;
  return {
    add(key, outcome, context) {
      opened ??= open();
      opened.delivery.add(JSON.stringify(toOutcome(key, outcome, context)));
    },
    flush: (timeoutMs) => opened?.delivery.flush(timeoutMs) ?? Promise.resolve(true),
    stats: () => (opened === null ? NO_STATS : statsOf(opened.delivery, opened.spool)),
    close() {
      opened?.delivery.stop();
      opened?.delivery.discard('Not delivered before close()');
      opened?.exit.stop();
      opened?.spool?.close();
    },
  };
}

/** Makes `stated_at` increase, so that the second of two outcomes in the same millisecond counts. */
let lastStatedMs = 0;

/** With `stated_at`, a correction wins even if it arrives before its original. */
function toOutcome(key: string, outcome: OutcomeInput, context: CallContext): object {
  const now = nowMs();
  lastStatedMs = Math.max(now, lastStatedMs + 1);
  if (typeof outcome.value === 'number' && !Number.isFinite(outcome.value))
    throw new Error(`The value of outcome ${key} is not a number. The outcome is not sent`);
  return {
    key,
    name: outcome.name,
    succeeded: outcome.succeeded,
    at: (outcome.at ?? new Date(now)).toISOString(),
    task_id: outcome.taskId ?? context.dimensions?.['task_id']?.toString(),
    session_id: outcome.sessionId ?? context.sessionId,
    user_id: outcome.userId ?? context.userId,
    agent_id: outcome.agentId ?? context.agentId,
    value: outcome.value,
    currency: outcome.currency,
    metadata: outcome.metadata,
    stated_at: new Date(lastStatedMs).toISOString(),
  };
}
