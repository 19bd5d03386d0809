import { expect, it } from 'vitest';
import { endUsers } from '../../../sample/end-users.ts';
import { contracts } from '../../../sample/contracts.ts';
import { fillAccount } from '../../../demo/revenue/fill-account.ts';
import { invoicesOfContract } from '../../../sample/invoices-of-contract.ts';

const began = new Date('2026-01-31T00:00:00Z');
const until = new Date('2026-04-30T12:00:00Z');
const contractOf = (customer: string) => contracts.find((contract) => contract.customer === customer)!;

it('an upgrade is prorated to the second, and later periods cost what the new plan costs', () => {
  const lines = invoicesOfContract(contractOf('helios-energy'), began, until).map(({ at, lines: [...lines] }) => [
    at.toISOString().slice(0, 10),
    ...lines.map(({ amount }) => amount),
  ]);
  // 21 of 31 days were left in the period of the upgrade.
  expect(lines).toEqual([
    ['2026-02-02', 220_000],
    ['2026-03-02', 220_000],
    ['2026-03-12', -149_032, 474_194],
    ['2026-04-02', 700_000],
  ]);
});

it('a year is paid in advance, less its discount', () => {
  const [year, ...others] = invoicesOfContract(contractOf('atlas-logistics'), began, until);
  expect(others).toEqual([]);
  expect(year).toMatchObject({
    lines: [
      {
        amount: 8_400_000,
        discount: 1_260_000,
        start: new Date('2025-12-17T00:00:00Z'),
        end: new Date('2026-12-17T00:00:00Z'),
      },
    ],
  });
});

it('a cancelled contract is not billed any more', () => {
  expect(invoicesOfContract(contractOf('marble-design'), began, until)).toHaveLength(2);
});

it('every end user is a customer, one customer has no end user, and nothing happens after now', () => {
  const { customers, refunds, disputes, credit_notes, invoices } = fillAccount(began, until).objects;
  const ids = [...customers.values()].map(({ metadata }) => (metadata as { user_id?: string }).user_id);
  expect(ids.filter((id) => id !== undefined).toSorted()).toEqual(endUsers.map(({ id }) => id).toSorted());
  expect(ids.filter((id) => id === undefined)).toHaveLength(1);
  expect([refunds.size, disputes.size, credit_notes.size]).toEqual([4, 1, 1]);
  expect([...invoices.values()].filter(({ currency }) => currency !== 'usd')).toHaveLength(3);
  expect([...invoices.values()].filter(({ status }) => status !== 'paid')).toHaveLength(1);
  expect([...invoices.values()].filter(({ created }) => created * 1000 > until.getTime())).toEqual([]);
});

it('a later run repeats the beginning with the same ids, and continues', () => {
  const earlier = fillAccount(began, until);
  const later = fillAccount(began, new Date('2026-06-15T00:00:00Z'));
  expect(later.objects.invoices.size).toBeGreaterThan(earlier.objects.invoices.size);
  for (const [id, lines] of earlier.lines) expect(later.lines.get(id)).toEqual(lines);
  for (const [id, refund] of earlier.objects.refunds) expect(later.objects.refunds.get(id)).toEqual(refund);
});
