/** GraphQL view of an allowance. */
import { canonicalInstant } from '#kernel/time/instant.ts';
import { enumValue } from '#kernel/enum-value.ts';
import type { Allowance } from '../resolvers.generated.ts';
import type { AllowanceRow } from './allowance-balance.query.ts';

export function toAllowanceView({ remaining, ...row }: AllowanceRow): Allowance {
  const isPrepaid = row.period === 'prepaid';
  return {
    id: row.id,
    subject: enumValue(row.subject),
    subjectId: row.subject === 'organization' ? null : row.subjectId,
    endUser: row.subject === 'end_user' ? ({ externalId: row.subjectId } as Allowance['endUser']) : null,
    period: enumValue(row.period),
    policy: enumValue(row.policy),
    amount: row.amount,
    held: row.held,
    spent: row.spent,
    left: remaining,
    usedPercent: row.usedPercent,
    openHolds: row.openHolds,
    periodStart: isPrepaid ? null : new Date(row.periodStart),
    periodEnd: row.periodEnd === null ? null : new Date(row.periodEnd),
    countsFrom: canonicalInstant(row.countsFrom),
    changedAt: new Date(row.changedAt),
  };
}
