/** The cost that a caller states itself: it is the total and stops everything else (decisions.md D23). */
import { toLedger, ZERO } from '../../../kernel/money.ts';
import type { Money } from '../../../kernel/money.ts';
import type { PricedEvent } from './price-event.ts';

/** `amount` is USD from 0. No rate card, no tier, no classes: input and output are 0, the other parts null. */
export function priceOverride(amount: Money): PricedEvent {
  return {
    kind: 'priced',
    total: toLedger(amount),
    input: ZERO,
    output: ZERO,
    cacheCreation: null,
    cacheRead: null,
    reasoning: null,
    units: null,
    tierAboveInputTokens: null,
    charges: [],
  };
}
