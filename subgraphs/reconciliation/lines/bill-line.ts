/** A row of a provider's bill, in one form for all formats. */
import type { TokenClass } from '#schema/token-classes.ts';
import type { Money, Quantity } from '#kernel/money.ts';

/** One API or export of one provider. */
export type BillSource =
  | 'anthropic.analytics'
  | 'anthropic.cost_report'
  | 'openai.costs'
  | 'aws.cur2'
  | 'aws.focus'
  | 'gcp.billing'
  | 'azure.focus'
  | 'openrouter.activity'
  | 'xai.usage'
  | 'fireworks.usage'
  | 'vercel.focus'
  | 'focus.file';

/** A later pull of a day replaces the lines of the same part. */
export type BillPart = 'cost' | 'usage';

/** The kind of charge of a line. Only `usage` has events in the books. */
export type LineKind =
  | 'usage'
  | 'code_execution'
  | 'session'
  | 'storage'
  | 'training'
  | 'capacity'
  | 'credit'
  | 'tax'
  | 'refund'
  | 'fee'
  | 'other';

/** The meaning of a line's name. Null means that the name does not state it. */
export interface LineMeaning {
  /** Name of the rule that read the line. */
  readonly rule: string;
  /** True if lines of this form were seen in a real bill or in the provider's documentation. */
  readonly verified: boolean;
  readonly kind: LineKind;
  readonly model: string | null;
  readonly tokenClass: TokenClass | null;
  /** Pricing context as in the books (`geo=us,tier=batch`); empty for the standard price. */
  readonly context: string;
  /** `tokens`, or another unit such as `searches`. */
  readonly unit: string | null;
  /** Number of units per unit of the stated quantity: 1000 for "1K tokens". */
  readonly per: number;
}

export interface BillLine {
  /** First and last UTC day. Usage of several days is compared with the sum of those days. */
  readonly day: string;
  readonly lastDay: string;
  /** The name as the provider states it. */
  readonly label: string;
  /** The seller: the provider's slug in the books, such as `openai`. */
  readonly provider: string;
  readonly kind: LineKind;
  /** Null if no rule reads the name. */
  readonly meaning: LineMeaning | null;
  /** In the unit of `meaning`. Null if the source does not state it. */
  readonly quantity: Quantity | null;
  /** Amounts in `currency`; null if the source does not state them. Discounts and credits are negative. */
  readonly list: Money | null;
  readonly discount: Money | null;
  readonly credit: Money | null;
  readonly tax: Money | null;
  /** Charged amount: after discounts, before credits. */
  readonly net: Money | null;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** Accounts, workspaces, projects and keys, widest first: `account:…`, `key:…`. Empty if not stated. */
  readonly scopes: readonly string[];
  /** Some sources report usage and costs separately; lines of both parts are matched by meaning. */
  readonly part: BillPart;
  /** Fraction digits with which the source prints amounts, in units of `currency`. */
  readonly digits: number;
  /** Number of the source's rows in this line; each may have been rounded. */
  readonly rows: number;
}

/** The result of reading a file or the response of an API. */
export interface ReadBill {
  readonly source: BillSource;
  readonly lines: readonly BillLine[];
}

/** Minimum number of fraction digits of amounts. */
const DIGITS_MIN = 2;

/** Creates a line. A field that is not given counts as not stated. */
export function billLine(
  known: Pick<BillLine, 'day' | 'label' | 'provider' | 'currency'> & Partial<BillLine>,
): BillLine {
  return {
    lastDay: known.day,
    kind: known.meaning?.kind ?? 'usage',
    meaning: null,
    quantity: null,
    list: null,
    discount: null,
    credit: null,
    tax: null,
    net: null,
    scopes: [],
    part: 'cost',
    digits: DIGITS_MIN,
    rows: 1,
    ...known,
  };
}

/** A file that cannot be read as a bill. The message is shown to the person who sent it. */
export class BillFormatError extends Error {}
