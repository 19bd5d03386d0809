/** An outcome as the graph returns it. */
import { amount, type Amount } from '#kernel/money.ts';
import type { OutcomeCost } from './outcome-rows.query.ts';
import type { OutcomeRow } from './stated-outcomes.query.ts';

export interface OutcomeAttemptView {
  readonly key: string;
  readonly name: string;
  readonly succeeded: boolean;
  readonly at: string;
  readonly endUser: { readonly externalId: string } | null;
  readonly agent: { readonly agentId: string } | null;
  readonly session: string | null;
  readonly task: string | null;
  readonly value: Amount | null;
  readonly currency: string | null;
  readonly metadata: unknown;
  readonly livemode: boolean;
  readonly statedAt: string;
  readonly cost: Amount;
  readonly eventCount: number;
  readonly sessions: string[];
}

/** `cost` is undefined for an outcome without events. */
export function outcomeView(row: OutcomeRow, cost: OutcomeCost | undefined): OutcomeAttemptView {
  const sessions = row.session === null ? [] : [row.session];
  return {
    key: row.key,
    name: row.name,
    succeeded: row.succeeded,
    at: row.at,
    endUser: row.endUser === null ? null : { externalId: row.endUser },
    agent: row.agent === null ? null : { agentId: row.agent },
    session: row.session,
    task: row.task,
    value: row.value === null ? null : amount(row.value),
    currency: row.currency,
    metadata: JSON.parse(row.metadata) as unknown,
    livemode: row.livemode,
    statedAt: row.statedAt,
    cost: amount(cost?.cost ?? '0'),
    eventCount: Number(cost?.events ?? 0),
    sessions: [...(cost?.sessions ?? sessions)],
  };
}
