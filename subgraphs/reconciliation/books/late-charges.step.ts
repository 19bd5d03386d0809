/** Reads amounts that are booked on a different day than their events, because the month of the events was closed. */
import { money, NO_QUANTITY } from '#kernel/money.ts';
import { KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import type { OwnCharge } from '../comparison/own-charge.ts';
import { billUnitOf } from '../rules/fee-units.ts';
import type { ReadGraph } from './graph-reader.step.ts';
import { tokenClassOf } from './token-class-of.ts';

const LATE_CHARGES = graphql(`query LateChargesOfBill($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    lateCharges { eventDay bookedDay provider model context chargeClass unit amount listAmount }
  }
}`);

/**
 * For a half-open range of UTC days: each amount on the day of its events, and its opposite on the day of the booking.
 * Empty if there are too many; their share of a difference then stays unexplained.
 */
export async function readLateCharges(read: ReadGraph, from: string, until: string): Promise<OwnCharge[]> {
  const range = { start: `${from}T00:00:00Z`, end: `${until}T00:00:00Z` };
  const { window } = await read(LATE_CHARGES, range).catch((error: unknown) => {
    if (error instanceof KnownError && error.code === 'UNPROCESSABLE_ENTITY') return { window: { lateCharges: [] } };
    throw error;
  });
  return window.lateCharges.flatMap(({ eventDay, bookedDay, chargeClass, unit, amount, listAmount, ...keys }) => {
    const tokenClass = tokenClassOf(chargeClass);
    const charge = {
      ...keys,
      tokenClass,
      unit: tokenClass === null ? billUnitOf(chargeClass, unit) : 'tokens',
      quantity: NO_QUANTITY,
    };
    const [booked, list] = [money(amount), money(listAmount)];
    return [
      { ...charge, day: eventDay, otherDay: bookedDay, amount: booked, list },
      { ...charge, day: bookedDay, otherDay: eventDay, amount: booked.negated(), list: list.negated() },
    ].filter(({ day }) => day >= from && day < until);
  });
}
