/** Leaves out judgements that change nothing, so that they are not written. */
import { isDeepStrictEqual } from 'node:util';
import { isOfParameters, nextState } from '../episodes/next-state.ts';
import { type FoundByRule } from './apply-judgements.step.ts';
import type { GroupJudgement } from './judged.ts';

/** Null if nothing has to be written. */
export function changes(found: FoundByRule): FoundByRule | null {
  const judgements = worthKeeping(found);
  const begins = found.states.some((state) => !isOfParameters(state, found.rule.parameters));
  return judgements.length > 0 || begins ? { ...found, judgements } : null;
}

/** A group that has always been `ok` needs no state, and an unchanged state need not be written. */
export function worthKeeping({ rule, states, judgements }: FoundByRule): GroupJudgement[] {
  const going = new Map(
    states.filter((state) => isOfParameters(state, rule.parameters)).map((state) => [state.groupKey, state]),
  );
  return judgements.filter(({ groupKey, judgement }) => {
    const known = going.get(groupKey);
    const { state, transition } = nextState(rule.parameters, known?.state === 'firing', judgement);
    if (transition !== null) return true;
    if (known === undefined) return state.state !== 'ok';
    return known.state !== state.state || !isDeepStrictEqual(known.counters.memory, state.counters.memory);
  });
}
