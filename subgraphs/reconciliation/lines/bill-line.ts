/** A row of a provider's bill, read from whatever format the provider uses. */
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
  | 'vercel.focus'
  | 'focus.file';

/** A later pull of a day replaces the lines of the same part. */
export type BillPart = 'cost' | 'usage';

/** What a line charges for. Only `usage` has events in the books. */
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

/** What the name of a line says. Null means that the name does not say it. */
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
  /** `tokens`, or what else is counted (`searches`). */
  readonly unit: string | null;
  /** Units that the stated quantity counts at a time: 1000 for "1K tokens". */
  readonly per: number;
}

export interface BillLine {
  /** UTC days, first and last; usage of more than a day is compared over all its days. */
  readonly day: string;
  readonly lastDay: string;
  /** The name as the provider states it. */
  readonly label: string;
  /** Who charges: the provider's slug in the books, such as `openai`. */
  readonly provider: string;
  readonly kind: LineKind;
  /** Null if no rule reads the name. */
  readonly meaning: LineMeaning | null;
  /** In the unit of the meaning. Null if the source does not state it. */
  readonly quantity: Quantity | null;
  /** Amounts in `currency`; null if the source does not state them. Discounts and credits are negative. */
  readonly list: Money | null;
  readonly discount: Money | null;
  readonly credit: Money | null;
  readonly tax: Money | null;
  /** What is charged: after discounts, before credits. */
  readonly net: Money | null;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** Who spent, widest first: `account:…`, `workspace:…`, `project:…`, `key:…`. Empty if the source does not say. */
  readonly scopes: readonly string[];
  /** Some sources report what was used and what it cost separately; they are added up by meaning. */
  readonly part: BillPart;
  /** Fraction digits with which the source prints amounts, in units of `currency`. */
  readonly digits: number;
  /** Rows of the source that are added up in this line; each may have been rounded. */
  readonly rows: number;
}

/** The result of reading a file or the answer of an API. */
export interface ReadBill {
  readonly source: BillSource;
  readonly lines: readonly BillLine[];
}

/** Digits that amounts of a currency have at least. */
const DIGITS_MIN = 2;

/** A line with what is known; everything else is not stated. */
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
