/**
 * Explanations of recent minutes. Explaining a change reads the events of both windows, and pages show the same changes
 * again and again: the overview explains three of them.
 */
import type { Window } from '#kernel/time/window.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { REMEMBERED_EXPLANATION_SECONDS, REMEMBERED_EXPLANATIONS_MAX } from '../config.ts';
import type { GroupDifference } from './cost-change.ts';
import type { CostSelection } from './cost-selection.ts';

export interface ExplainedSubject {
  readonly organizationId: string;
  readonly window: Window;
  readonly previous: Window;
  readonly selection: CostSelection;
  /** Explanations of other totals are not reused, so that parts always add up to the total. */
  readonly total: Omit<GroupDifference, 'value'>;
}

interface Remembered<Explanation> {
  readonly explanation: Explanation;
  /** As `elapsedMilliseconds`. */
  readonly until: number;
}

/** Remembers explanations of one kind in this process. */
export function rememberedExplanations<Explanation>() {
  const known = new Map<string, Remembered<Explanation>>();
  return async (subject: ExplainedSubject, explain: () => Promise<Explanation>): Promise<Explanation> => {
    const key = keyOf(subject);
    const found = known.get(key);
    if (found !== undefined && found.until > elapsedMilliseconds()) return found.explanation;
    const explanation = await explain();
    known.delete(key);
    known.set(key, { explanation, until: elapsedMilliseconds() + REMEMBERED_EXPLANATION_SECONDS * 1_000 });
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED_EXPLANATIONS_MAX) break;
      known.delete(oldest);
    }
    return explanation;
  };
}

function keyOf({ organizationId, window, previous, selection, total }: ExplainedSubject): string {
  const instants = [window.start, window.end, previous.start, previous.end].map(({ iso }) => iso);
  return JSON.stringify([organizationId, instants, selection, total], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
