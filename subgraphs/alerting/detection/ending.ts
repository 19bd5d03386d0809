/** Finds agreements and credits that end soon: each is reported 90, 30 and 7 UTC days before its end, once per stage. */
import type { DetectedEnd } from './verdict.ts';

/** Days before the end, the last one first. */
const ENDING_STAGES = [7, 30, 90] as const;

export interface EndingMemory {
  /** The last reported stage. */
  readonly stage: number;
}

export interface EndingVerdict {
  readonly state: 'OK' | 'FIRING';
  readonly memory: EndingMemory | null;
  readonly end: DetectedEnd | null;
  /** The stage that has been reached; null if it is further away, or over. */
  readonly stage: number | null;
  readonly isNewStage: boolean;
}

/** `daysLeft` is 0 or less if it has ended. */
export function judgeEnding(daysLeft: number, previous: EndingMemory | null): EndingVerdict {
  const stage = daysLeft <= 0 ? null : (ENDING_STAGES.find((days) => daysLeft <= days) ?? null);
  if (stage === null)
    return {
      state: 'OK',
      memory: null,
      end: daysLeft <= 0 ? 'NOT_APPLICABLE' : 'RECOVERED',
      stage,
      isNewStage: false,
    };
  return {
    state: 'FIRING',
    memory: { stage },
    end: null,
    stage,
    isNewStage: previous !== null && stage < previous.stage,
  };
}
