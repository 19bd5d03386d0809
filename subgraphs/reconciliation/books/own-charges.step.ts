/** Reads the charges in the books on the days of a bill. */
import { money, quantity } from '#kernel/money.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { fail } from '#kernel/errors.ts';
import type { OwnCharge } from '../comparison/own-charge.ts';
import { CHARGE_PAGES_MAX, CHARGES_PER_PAGE } from '../config.ts';
import { billUnitOf } from '../rules/fee-units.ts';
import type { ReadGraph } from './graph-reader.step.ts';
import { tokenClassOf } from './token-class-of.ts';

const CHARGES = graphql(`query ChargesOfBill($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    chargeDays(first: $first, after: $after) {
      nodes { day provider model context chargeClass unit quantity listAmount amount }
      pageInfo { hasNextPage endCursor }
    }
  }
}`);

/** Charges of a half-open range of UTC days. Fails with `UNPROCESSABLE_ENTITY` if there are too many. */
export async function readOwnCharges(read: ReadGraph, from: string, until: string): Promise<OwnCharge[]> {
  const charges: OwnCharge[] = [];
  const range = { start: `${from}T00:00:00Z`, end: `${until}T00:00:00Z`, first: CHARGES_PER_PAGE };
  let after: string | null = null;
  for (let page = 0; page < CHARGE_PAGES_MAX; page++) {
    const answer: DataOf<'ChargesOfBill'> = await read(CHARGES, { ...range, after });
    const { nodes, pageInfo } = answer.window.chargeDays;
    charges.push(...nodes.map(toCharge));
    if (!pageInfo.hasNextPage) return charges;
    after = pageInfo.endCursor ?? null;
  }
  return fail('UNPROCESSABLE_ENTITY', 'The books have too many charges in this window: compare fewer days');
}

type ChargeNode = DataOf<'ChargesOfBill'>['window']['chargeDays']['nodes'][number];

function toCharge({ chargeClass, unit, quantity: counted, listAmount, amount, ...keys }: ChargeNode): OwnCharge {
  const tokenClass = tokenClassOf(chargeClass);
  return {
    ...keys,
    tokenClass,
    unit: tokenClass === null ? billUnitOf(chargeClass, unit) : 'tokens',
    quantity: quantity(counted),
    list: money(listAmount),
    amount: money(amount),
  };
}
