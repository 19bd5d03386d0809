/** Steps 1 and 2: days that are not settled, and lines without usage events or of untracked scopes. */
import { plain, sum } from '#kernel/money.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { billedOf, type Group, take } from './compared-group.ts';
import { isUsage } from './group-lines.ts';

const KINDS: Readonly<Record<string, string>> = {
  code_execution: 'code execution',
  session: 'sessions',
  storage: 'storage',
  training: 'training',
  capacity: 'reserved capacity',
  tax: 'tax',
  fee: 'fees and adjustments',
  other: 'other services',
};

/** The provider may still change the day, so its whole difference has this cause. */
export function explainSettling(group: Group, reason: string): void {
  if (group.remaining !== null) take(group, { cause: 'SETTLING', amount: group.remaining, detail: reason });
  group.isDone = true;
}

/** Credits and refunds are explained by a later step. */
export function explainUntracked(group: Group, lines: readonly BillLine[]): void {
  const others = lines.filter((line) => !isUsage(line) && !['credit', 'refund'].includes(line.kind));
  for (const [kind, charged] of Map.groupBy(others, (line) => line.kind)) {
    take(group, {
      cause: 'NOT_TRACKED',
      amount: sum(charged.map(billedOf)),
      detail: `${KINDS[kind] ?? kind}: charged without usage events`,
    });
  }
}

/** Lines of a scope that is marked as not tracked are left out before anything else is compared. */
export function explainUntrackedScopes(group: Group, lines: readonly BillLine[], untracked: ReadonlySet<string>): void {
  const marked = (line: BillLine) => line.scopes.find((scope) => untracked.has(scope));
  for (const [scope, charged] of Map.groupBy(
    lines.filter((line) => marked(line) !== undefined),
    marked,
  )) {
    const amount = sum(charged.map(billedOf));
    take(group, {
      cause: 'NOT_TRACKED',
      amount,
      detail: `${scope} is marked as not tracked: ${plain(amount)} in ${charged.length} lines`,
      scopes: [scope!],
    });
  }
}
