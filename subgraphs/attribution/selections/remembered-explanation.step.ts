/**
 * Caches explanations for a few minutes. Explaining a change reads the events of both windows, and pages show the same
 * changes repeatedly: the overview explains three of them.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { remembered } from '#platform/remembered.ts';
import { REMEMBERED_EXPLANATION_SECONDS, REMEMBERED_EXPLANATIONS_MAX } from '../config.ts';
import type { GroupDifference } from './cost-change.ts';
import type { CostSelection } from './cost-selection.ts';

export interface ExplainedSubject {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly previous: Window;
  readonly selection: CostSelection;
  /** Explanations of other totals are not reused, so that parts always add up to the total. */
  readonly total: Omit<GroupDifference, 'value'>;
}

/** Remembers explanations of one kind in this process. */
export function rememberedExplanations<Explanation>() {
  const recent = remembered<Explanation>({
    seconds: REMEMBERED_EXPLANATION_SECONDS,
    resultsMax: REMEMBERED_EXPLANATIONS_MAX,
  });
  return (subject: ExplainedSubject, explain: () => Promise<Explanation>): Promise<Explanation> =>
    recent(keyOf(subject), explain);
}

function keyOf({ organizationId, window, previous, selection, total }: ExplainedSubject): string {
  const instants = [window.start, window.end, previous.start, previous.end].map(({ iso }) => iso);
  return JSON.stringify([organizationId, instants, selection, total], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
