/**
 * The imaginary product's paying customers and their plan changes, refunds and missed payments: the story behind the
 * demo's margins.
 */

/** Cents per month, of the contract's currency. */
const STARTER = { name: 'Starter', cents: 50_000 };
const EARLY_BIRD = { name: 'Pro, early-bird price', cents: 85_000 };
const PRO = { name: 'Pro', cents: 220_000 };
const ENTERPRISE = { name: 'Enterprise', cents: 700_000 };

export interface Contract {
  /** Id of an end user, or the name of a customer that is not mapped to an end user. */
  readonly customer: string;
  /** Day of the product's history on which the first period begins. */
  readonly firstDay: number;
  /** Length of a period, paid in advance. */
  readonly months: 1 | 12;
  /** ISO 4217, lower case; default: `usd`. */
  readonly currency?: string;
  /** In chronological order. A later plan is an upgrade, prorated to the second. */
  readonly plans: readonly {
    readonly fromDay: number;
    readonly plan: { readonly name: string; readonly cents: number };
  }[];
  /** No period begins from this day on. */
  readonly cancelledOnDay?: number;
  readonly discountPercent?: number;
  /** Tax on top, which is not revenue. */
  readonly taxPercent?: number;
  /** Number of the only unpaid period, starting at 0. */
  readonly unpaidPeriod?: number;
  readonly reversals?: readonly Reversal[];
}

/** A refund, credit note or lost dispute for the invoice of a period. */
export interface Reversal {
  readonly kind: 'refund' | 'credit-note' | 'lost-dispute';
  /** Counted from 0. */
  readonly period: number;
  /** Days after the invoice. */
  readonly afterDays: number;
  /** Percentage of the paid amount. */
  readonly percent: number;
}

/** A one-time purchase, earned at once. */
export interface Purchase {
  readonly customer: string;
  readonly day: number;
  readonly description: string;
  /** Smallest unit of the currency. */
  readonly amount: number;
  readonly currency: string;
}

export const UNMAPPED_CUSTOMER = 'Walk-in Workshop';

export const contracts: readonly Contract[] = [
  {
    customer: 'atlas-logistics',
    firstDay: -45,
    months: 12,
    plans: [{ fromDay: -45, plan: ENTERPRISE }],
    discountPercent: 15,
  },
  { customer: 'meridian-bank', firstDay: 0, months: 1, plans: [{ fromDay: 0, plan: ENTERPRISE }], taxPercent: 19 },
  {
    customer: 'helios-energy',
    firstDay: 2,
    months: 1,
    plans: [
      { fromDay: 2, plan: PRO },
      { fromDay: 40, plan: ENTERPRISE },
    ],
  },
  { customer: 'orchard-health', firstDay: 3, months: 1, plans: [{ fromDay: 3, plan: ENTERPRISE }] },
  { customer: 'bluefin-travel', firstDay: 0, months: 1, plans: [{ fromDay: 0, plan: EARLY_BIRD }] },
  // Two bad months are refunded, and the third one hardly pays for all three.
  {
    customer: 'copper-legal',
    firstDay: 0,
    months: 1,
    plans: [{ fromDay: 0, plan: PRO }],
    reversals: [
      { kind: 'refund', period: 0, afterDays: 12, percent: 100 },
      { kind: 'refund', period: 1, afterDays: 4, percent: 100 },
    ],
  },
  { customer: 'dovetail-homes', firstDay: 1, months: 1, plans: [{ fromDay: 1, plan: STARTER }] },
  {
    customer: 'ember-games',
    firstDay: 4,
    months: 1,
    plans: [
      { fromDay: 4, plan: STARTER },
      { fromDay: 25, plan: PRO },
    ],
  },
  { customer: 'fjord-shipping', firstDay: 5, months: 1, plans: [{ fromDay: 5, plan: PRO }] },
  { customer: 'granite-insurance', firstDay: 6, months: 1, plans: [{ fromDay: 6, plan: PRO }], unpaidPeriod: 2 },
  {
    customer: 'harbor-foods',
    firstDay: 0,
    months: 1,
    plans: [{ fromDay: 0, plan: PRO }],
    reversals: [{ kind: 'credit-note', period: 1, afterDays: 9, percent: 50 }],
  },
  { customer: 'indigo-media', firstDay: 1, months: 1, plans: [{ fromDay: 1, plan: PRO }] },
  {
    customer: 'juniper-clinic',
    firstDay: 2,
    months: 1,
    plans: [{ fromDay: 2, plan: PRO }],
    reversals: [{ kind: 'lost-dispute', period: 0, afterDays: 20, percent: 100 }],
  },
  {
    customer: 'kestrel-air',
    firstDay: 3,
    months: 1,
    plans: [{ fromDay: 3, plan: PRO }],
    taxPercent: 19,
    reversals: [{ kind: 'refund', period: 1, afterDays: 6, percent: 25 }],
  },
  { customer: 'lantern-books', firstDay: 4, months: 1, plans: [{ fromDay: 4, plan: PRO }], discountPercent: 10 },
  { customer: 'marble-design', firstDay: 5, months: 1, plans: [{ fromDay: 5, plan: PRO }], cancelledOnDay: 50 },
  // Its usage costs far more than the $500 it pays per month.
  { customer: 'umbra-security', firstDay: 21, months: 1, plans: [{ fromDay: 21, plan: STARTER }] },
  // Invoiced in euros, and refunded once.
  {
    customer: 'velvet-hotels',
    firstDay: 35,
    months: 1,
    currency: 'eur',
    plans: [{ fromDay: 35, plan: STARTER }],
    reversals: [{ kind: 'refund', period: 0, afterDays: 15, percent: 20 }],
  },
  { customer: UNMAPPED_CUSTOMER, firstDay: 10, months: 1, plans: [{ fromDay: 10, plan: PRO }] },
];

export const purchases: readonly Purchase[] = [
  { customer: 'quartz-labs', day: 20, description: 'Extra research reports', amount: 120_000, currency: 'usd' },
  { customer: 'riverbend-school', day: 33, description: 'Extra research reports', amount: 120_000, currency: 'usd' },
  { customer: 'orchard-health', day: 12, description: 'Workshop in Lyon', amount: 450_000, currency: 'eur' },
];
