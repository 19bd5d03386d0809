/** Who may grant which role, and what the pages show for amounts of zero. */
import { expect, it } from 'vitest';
import { isAdmin, ROLES, rolesFor } from '../../../dashboard/figures/account-user.ts';
import { waitingList } from '../../../dashboard/figures/reporting-margin.ts';
import { print } from '../../../dashboard/shell/html.ts';
import { anonymous } from '#platform/principal.ts';

it.each([
  [['owner'], ROLES.map(({ id }) => id), true],
  [['admin'], ['viewer', 'member'], true],
  [['member'], ['viewer', 'member'], false],
  [['finance'], ['viewer', 'member'], false],
])('%j gives the roles %j', (grants, roles, manages) => {
  const principal = { ...anonymous('test'), grants };
  expect(rolesFor(principal).map(({ id }) => id)).toEqual(roles);
  expect(isAdmin(principal)).toBe(manages);
});

it.each([
  ['-0.001', '0.00 EUR'],
  ['-0.006', '−0.01 EUR'],
  ['-1234.5', '−1,234.50 EUR'],
  ['0.005', '0.01 EUR'],
])('an amount of %s that waits for a rate is shown as %s', (amount, shown) => {
  const waiting = [{ kind: 'FEE' as const, amount: { amount, currency: 'EUR' }, reason: 'No rate' }];
  expect(print(waitingList(waiting, 'Waiting') || undefined!)).toContain(`Fee: ${shown}. No rate.`);
});
