/**
 * The state machine: what a judgement of one group of one rule changes. Pure: all that it knows is in its arguments, which are rows of the
 * database, so that a restart anywhere changes nothing.
 *
 * ```
 * ok, pending ── FIRING ──▶ firing      an episode opens
 * firing ── a new level ──▶ firing   the episode is told again
 * firing ── anything else ──▶ ok        the episode closes, with the reason
 * ```
 *
 * A group fires exactly while it has an open episode. Muting and acknowledging are no part of it: they change what is delivered and
 * shown, and never what is found.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DetectedEnd, Verdict } from '../detection/verdict.ts';

/** As it is kept of a group. */
export interface GroupState {
  readonly state: 'ok' | 'pending' | 'firing';
  readonly counters: {
    /** The rule's when the group was judged: with others it begins again. */
    readonly parameters: object;
    readonly memory: unknown;
  };
  /** ISO 8601 UTC; null where judgements have no end of their own. */
  readonly judgedThrough: string | null;
}

export type ClosedReason = DetectedEnd | 'PERIOD_ENDED' | 'RULE_CHANGED' | 'RULE_DELETED';

/** A verdict with what the state machine needs besides. */
export interface Judgement extends Pick<Verdict<unknown>, 'state' | 'memory'> {
  readonly end: ClosedReason | null;
  readonly judgedThrough: string | null;
  /** Of a budget: the highest level that was reached, in percent; 0: its forecast alone. */
  readonly level: number | null;
  /** Of a budget: the level that was reached since the judgement before, 0: the forecast passed the amount. Null: nothing new. */
  readonly news: number | null;
}

export type Transition =
  | { readonly kind: 'opened'; readonly level: number | null }
  | { readonly kind: 'level'; readonly level: number; readonly news: number }
  | { readonly kind: 'closed'; readonly reason: ClosedReason };

export interface NextState {
  readonly state: GroupState;
  /** Null: nothing that anyone should hear of. */
  readonly transition: Transition | null;
}

/** `isOpen`: whether the group has an open episode. */
export function nextState(parameters: object, isOpen: boolean, judgement: Judgement): NextState {
  const isFiring = judgement.state === 'FIRING';
  return {
    state: {
      state: isFiring ? 'firing' : judgement.state === 'PENDING' ? 'pending' : 'ok',
      counters: { parameters, memory: judgement.memory },
      judgedThrough: judgement.judgedThrough,
    },
    transition: transitionOf(isOpen, isFiring, judgement),
  };
}

function transitionOf(isOpen: boolean, isFiring: boolean, { level, news, end }: Judgement): Transition | null {
  if (!isOpen) return isFiring ? { kind: 'opened', level } : null;
  if (!isFiring) return { kind: 'closed', reason: end ?? 'NOT_APPLICABLE' };
  return news === null ? null : { kind: 'level', level: level ?? 0, news };
}

/** Whether a state goes on under these parameters; where it does not, its episode closes and the group begins again. */
export function isOfParameters({ counters }: GroupState, parameters: object): boolean {
  return isDeepStrictEqual(counters.parameters, parameters);
}
