/** Compares a day of the ledger with attribution's facts and sums. */
import type { DayFigures, LedgerDaySums } from '#schema/ledger-days.ts';
import type { NewDifference } from './book-difference.table.ts';
import type { OwnDay } from './day-figures.query.ts';

const FIGURES = {
  entries: 'entries',
  eventCount: 'events',
  endUsers: 'end users',
  inputTokens: 'input tokens',
  outputTokens: 'output tokens',
  totalCost: 'cost',
  inputCost: 'input cost',
  outputCost: 'output cost',
  cacheCreationCost: 'cache creation cost',
  cacheReadCost: 'cache read cost',
  reasoningCost: 'reasoning cost',
} as const satisfies Readonly<Record<keyof DayFigures, string>>;

const NAMES = Object.keys(FIGURES) as readonly (keyof DayFigures)[];

/**
 * `before` and `after` are the ledger's sums before and after the facts were read; all of `before` has arrived. Null:
 * the figures were changing, so the result is inconclusive and the caller must try again.
 */
export function compareWithLedger(before: LedgerDaySums, own: OwnDay, after: LedgerDaySums): NewDifference[] | null {
  if (!differs(before, own) || !differs(after, own)) return [];
  // The number of entries only grows: fewer than before or more than after is wrong, even while facts arrive.
  const isMoving = differs(before, after);
  if (isMoving && own.entries >= before.entries && own.entries <= after.entries) return null;
  const side = (figures: DayFigures) =>
    NAMES.filter((name) => before[name] !== own[name])
      .map((name) => `${figures[name]} ${FIGURES[name]}`)
      .join(', ');
  const what = own.entries > after.entries ? 'facts that the ledger does not know' : 'facts = ledger';
  return [differenceOf(own, what, `the ledger has ${side(before)}; the facts ${side(own)}`)];
}

/** Checks each side for consistency; the figures of a side come from one snapshot. */
export function compareWithin(ledger: LedgerDaySums, own: OwnDay): NewDifference[] {
  const found: NewDifference[] = [];
  if (ledger.countedEvents !== ledger.eventCount || ledger.countedCost !== ledger.totalCost)
    found.push(
      differenceOf(
        own,
        'hour counters = ledger',
        `${ledger.countedEvents} events, ${ledger.countedCost} cost counted; the ledger has ${ledger.eventCount} and ${ledger.totalCost}`,
      ),
    );
  if (own.endUserEvents !== own.eventCount || own.endUserCost !== own.totalCost)
    found.push(
      differenceOf(
        own,
        "end users' days = facts",
        `${own.endUserEvents} events, ${own.endUserCost} cost by end user; the facts have ${own.eventCount} and ${own.totalCost}`,
      ),
    );
  if (own.chargedCost !== own.totalCost)
    found.push(
      differenceOf(
        own,
        'charges of a day = facts',
        `${own.chargedCost} charged by class; the facts have a cost of ${own.totalCost}`,
      ),
    );
  if (own.wrongKeys.length > 0)
    found.push(
      differenceOf(
        own,
        'groups = facts',
        `by ${own.wrongKeys.map((key) => key || 'total').join(', ')}: different sums`,
      ),
    );
  return found;
}

function differs(one: DayFigures, other: DayFigures): boolean {
  return NAMES.some((name) => one[name] !== other[name]);
}

function differenceOf({ organizationId, day }: OwnDay, what: string, detail: string): NewDifference {
  return { organizationId, day, what, detail };
}
