/**
 * The text of a statement. It names no customers: they are on the linked page, and nothing has to be erased from sent
 * messages.
 */
import { percentText } from '#kernel/percent.ts';
import { usdText } from '#kernel/usd-text.ts';
import { amount, plain } from '#kernel/money.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { count } from '../figures/words.ts';
import type { StatementPeriod } from '../resolvers.generated.ts';

export interface StatementFigures {
  readonly revenue: string;
  readonly cost: string;
  /** Percent of revenue; null without revenue. */
  readonly marginPercent: number | null;
  readonly previousCost: string;
  readonly customersLosing: number;
  /** Sum of the margins of these customers, a negative amount. */
  readonly lost: string;
  readonly eventsWithoutPrice: number;
}

const BEFORE: Readonly<Record<StatementPeriod, string>> = { WEEK: 'the week before', MONTH: 'the month before' };

/** The shown amounts add up. */
export function statementSentence(figures: StatementFigures, period: StatementPeriod): string {
  const { marginPercent, customersLosing, lost, eventsWithoutPrice } = figures;
  const [revenue, cost] = [rounded(amount(figures.revenue)), rounded(amount(figures.cost))];
  const share = marginPercent === null ? '' : ` (${percentText(marginPercent)})`;
  return [
    `Revenue ${usdText(plain(revenue))} − cost ${usdText(plain(cost))} = margin ${usdText(plain(revenue - cost))}${share}.`,
    changeSentence(figures, BEFORE[period]),
    customersLosing === 0
      ? 'No customer lost money.'
      : `${count(customersLosing)} ${customersLosing === 1 ? 'customer' : 'customers'} lost money: ${usdText(lost)} in total.`,
    ...(eventsWithoutPrice === 0
      ? []
      : [
          `${count(eventsWithoutPrice)} ${eventsWithoutPrice === 1 ? 'event has no price and counts' : 'events have no price and count'} as $0.`,
        ]),
  ].join(' ');
}

function changeSentence({ cost, previousCost }: StatementFigures, before: string): string {
  const change = rounded(amount(cost)) - rounded(amount(previousCost));
  if (amount(previousCost) === 0n) return `There was no cost in ${before}.`;
  if (change === 0n) return `The cost was the same in ${before}.`;
  return `The cost was ${usdText(plain(change < 0n ? -change : change))} ${change < 0n ? 'lower' : 'higher'} than in ${before}.`;
}
