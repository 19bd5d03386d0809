/** Subtracts agreed discounts from a list price, line by line. */
import { plain } from '#kernel/money.ts';
import { type Discount, discountAt } from '../rates/discounts/discount.ts';
import { type Charge, charge, type PricedEvent, withCharges } from './price-event.ts';

/** `discountsOf` returns the discounts for the card of a model, or for the event's own card (null). */
export function discountPrice(
  priced: PricedEvent,
  atMs: number,
  discountsOf: (model: string | null) => readonly Discount[],
): PricedEvent {
  let isDiscounted = false;
  const charges = priced.charges.map((line): Charge => {
    const found = discountAt(discountsOf(line.model ?? null), line.item, atMs);
    if (found === null) return line;
    isDiscounted = true;
    const { factor, discount } = found;
    const { rate, cost } = charge(line.item, line.quantity, line.rate.times(factor), line.per);
    const reason = `less ${plain(discount.percent)} % (${discount.agreement})`;
    return {
      ...line,
      rate,
      cost,
      why: line.why === undefined ? reason : `${line.why}; ${reason}`,
      agreement: discount.agreement,
    };
  });
  return isDiscounted ? withCharges(priced, charges) : priced;
}
