/**
 * Margins recomputed from the processor's events and usage events, in integers of 10^-15 USD, sharing no code with the
 * service.
 */

interface ModelLine {
  cents: number;
  discount: number;
  inclusiveTax: number;
  exclusiveTax: number;
  start: number;
  end: number;
}

export interface ModelInvoice {
  customer: string;
  paid: boolean;
  lines: ModelLine[];
  /** Credits for whole lines or parts of them, by index. */
  credits: { line: number; cents: number }[];
  /** Succeeded refunds, and the cents of them that a credit note already covers. */
  refunds: { cents: number; credited: number }[];
  lostDisputes: number[];
}

const UNIT = 10n ** 15n;
const CENT = 10n ** 13n;

export interface ModelRecord {
  customer: string;
  amount: bigint;
  start: number;
  end: number;
}

export function recordsOf(invoices: readonly ModelInvoice[]): ModelRecord[] {
  return invoices
    .filter(({ paid }) => paid)
    .flatMap(({ customer, lines, credits, refunds, lostDisputes }) => {
      const net = lines.map(({ cents, discount, inclusiveTax }) => cents - discount - inclusiveTax);
      const tax = lines.reduce((sum, line) => sum + line.inclusiveTax + line.exclusiveTax, 0);
      const of = (index: number, cents: number): ModelRecord => ({
        customer,
        amount: BigInt(cents) * CENT,
        start: lines[index]!.start,
        end: lines[index]!.end,
      });
      const back = [...refunds.map(({ cents, credited }) => cents - credited), ...lostDisputes].filter(
        (cents) => cents > 0,
      );
      return [
        ...net.map((cents, index) => of(index, cents)),
        ...credits.map(({ line, cents }) => of(line, -cents)),
        ...back.flatMap((cents) =>
          shares(cents, [...net, tax])
            .slice(0, net.length)
            .map((share, index) => of(index, -share))
            .filter(({ amount }) => amount !== 0n),
        ),
      ];
    });
}

/** Rounds every share down, then adds one cent each to the shares that lost most. */
function shares(cents: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map((_, index) => (index === 0 ? cents : 0));
  const exact = weights.map((weight) => BigInt(cents) * BigInt(weight));
  const down = exact.map((share) => Number(share / BigInt(whole)));
  const lost = exact.map((share, index) => ({ index, rest: share - BigInt(down[index]!) * BigInt(whole) }));
  const missing = cents - down.reduce((sum, share) => sum + share, 0);
  lost
    .sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1))
    .slice(0, missing)
    .forEach(({ index }) => {
      down[index]! += 1;
    });
  return down;
}

/** Recognized amount in 10^-15 USD; `from` and `until` are in seconds. */
export function recognized({ amount, start, end }: ModelRecord, from: number, until: number): bigint {
  const upTo = (instant: number): bigint => {
    if (start === end) return instant > start ? amount : 0n;
    const elapsed = BigInt(Math.min(Math.max(instant - start, 0), end - start));
    const size = amount < 0n ? -amount : amount;
    const rounded = (2n * size * elapsed + BigInt(end - start)) / (2n * BigInt(end - start));
    return amount < 0n ? -rounded : rounded;
  };
  return upTo(until) - upTo(from);
}

export function toUnits(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole) * UNIT + BigInt(fraction.padEnd(15, '0'));
  return text.startsWith('-') ? -size : size;
}

export function toText(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % UNIT)
    .padStart(15, '0')
    .replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / UNIT}${fraction ? `.${fraction}` : ''}`;
}

/** Hundredths of a percent, rounded half away from zero. */
export function percentOf(margin: bigint, revenue: bigint): number | null {
  if (revenue === 0n) return null;
  const negative = margin < 0n !== revenue < 0n;
  const [m, r] = [margin < 0n ? -margin : margin, revenue < 0n ? -revenue : revenue];
  const hundredths = Number((2n * m * 10_000n + r) / (2n * r));
  return hundredths === 0 ? 0 : (negative ? -hundredths : hundredths) / 100;
}
