/** Fixed costs, a commitment, credits and allowances of the sample product. */
import { addDays } from '#kernel/time/utc-day.ts';

/** Inputs of the mutations that save these terms. `firstDay`: the UTC day on which the sample history begins. */
export function termsOfProduct(firstDay: string) {
  const nextMonth = `${addDays(`${firstDay.slice(0, 7)}-01`, 31).slice(0, 7)}-01`;
  return {
    fixedCosts: [
      {
        key: 'vector-database',
        name: 'Vector database',
        provider: 'Northwind Cloud',
        driver: 'EVENTS',
        replacesModelCost: false,
        capacityPerDay: '600',
        periods: [{ from: firstDay, amount: '900', per: 'MONTH', currency: 'USD', quantity: '1' }],
      },
      {
        key: 'support-seats',
        name: 'Seats of the support team',
        provider: 'Deskline',
        driver: 'EQUAL',
        replacesModelCost: false,
        periods: [{ from: firstDay, amount: '45', per: 'MONTH', currency: 'USD', quantity: '12' }],
      },
    ],
    commitments: [
      {
        provider: 'anthropic',
        name: 'Anthropic, monthly commitment',
        amount: '2000',
        currency: 'USD',
        period: 'MONTH',
        from: nextMonth,
      },
    ],
    providerCredits: [
      {
        kind: 'CREDIT',
        provider: 'openai',
        name: 'Startup program',
        amount: '2500',
        currency: 'USD',
        from: firstDay,
        until: addDays(firstDay, 120),
      },
      {
        kind: 'PREPAYMENT',
        provider: 'anthropic',
        name: 'Prepaid tokens',
        amount: '1000',
        currency: 'USD',
        from: addDays(firstDay, 30),
        until: addDays(firstDay, 150),
      },
    ],
    allowances: [
      { subject: 'END_USER', subjectId: 'umbra-security', period: 'MONTH', policy: 'WARN', amount: '500' },
      { subject: 'AGENT', subjectId: 'support-agent', period: 'DAY', policy: 'WARN', amount: '100' },
      { subject: 'ORGANIZATION', period: 'MONTH', policy: 'WARN', amount: '25000' },
    ],
  } as const;
}
