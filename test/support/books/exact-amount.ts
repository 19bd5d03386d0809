/** The tests' own amounts: whole units of 10^-15 USD, added and multiplied as integers. */

const DIGITS = 15;

/** Parses a plain decimal into whole units of 10^-digits; throws if it has more digits. */
export function scaled(text: string, digits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.length > digits) throw new Error(`Not a decimal of at most ${digits} digits: ${text}`);
  const units = BigInt(`${match[2]}${fraction.padEnd(digits, '0')}`);
  return match[1] === '-' ? -units : units;
}

export function amount(text: string): bigint {
  return scaled(text, DIGITS);
}

/** Plain notation, no trailing zeros (decision 9, D24). */
export function printAmount(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(DIGITS + 1, '0');
  const fraction = text.slice(-DIGITS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${text.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Half-up to two decimals, 0 if the whole is zero (decision 9, D27). */
export function percentOf(part: bigint, whole: bigint): number {
  if (whole === 0n) return 0;
  const [size, of] = [part < 0n ? -part : part, whole < 0n ? -whole : whole];
  const hundredths = Number((size * 20_000n + of) / (2n * of)) / 100;
  return hundredths === 0 || part < 0n === whole < 0n ? hundredths : -hundredths;
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n);
}
