/**
 * The state machine: determines what a judgement of one group of a rule changes. It is pure: its arguments are database rows, so a restart
 * changes nothing.
 *
 * ```
 * ok, pending ── FIRING ──▶ firing      an episode opens
 * firing ── a new level ──▶ firing      the episode is delivered again
 * firing ── anything else ──▶ ok        the episode closes, with the reason
 * ```
 *
 * A group fires exactly while it has an open episode. Muting and acknowledging are not part of the state machine: they change what is
 * delivered and shown, never what is found.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DetectedEnd, Verdict } from '../detection/verdict.ts';

/** Stored state of a group. */
export interface GroupState {
  readonly state: 'ok' | 'pending' | 'firing';
  readonly counters: {
    /** The rule's parameters at the judgement; if they change, the group starts over. */
    readonly parameters: object;
    readonly memory: unknown;
  };
  /** ISO 8601 UTC; null if the group is not judged by day. */
  readonly judgedThrough: string | null;
}

export type ClosedReason = DetectedEnd | 'PERIOD_ENDED' | 'RULE_CHANGED' | 'RULE_DELETED';

/** A verdict, with the other data that the state machine needs. */
export interface Judgement extends Pick<Verdict<unknown>, 'state' | 'memory'> {
  readonly end: ClosedReason | null;
  readonly judgedThrough: string | null;
  /** For a budget: the highest level reached, in percent; 0 for only the forecast. */
  readonly level: number | null;
  /**
   * For a budget: the level reached since the previous judgement, or 0 if the forecast passed the amount. Null:
   * nothing new.
   */
  readonly news: number | null;
}

export type Transition =
  | { readonly kind: 'opened'; readonly level: number | null }
  | { readonly kind: 'level'; readonly level: number; readonly news: number }
  | { readonly kind: 'closed'; readonly reason: ClosedReason };

export interface NextState {
  readonly state: GroupState;
  /** Null: nothing to report. */
  readonly transition: Transition | null;
}

/** `isOpen`: true if the group has an open episode. */
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

/** True if a state belongs to these parameters. Otherwise its episode closes and the group starts over. */
export function isOfParameters({ counters }: GroupState, parameters: object): boolean {
  return isDeepStrictEqual(counters.parameters, parameters);
}
