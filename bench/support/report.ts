/** Results of a benchmark, for people and for machines. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Minimum and maximum over the rounds. */
  readonly spread?: readonly [number, number];
  /** The target of the figure. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Report {
  readonly benchmark: string;
  readonly figures: readonly Figure[];
  /** Remarks that a reader needs next to the figures. */
  readonly notes: readonly string[];
}

/** True if the figure meets its target; `null` if it has none. */
export function isReached({ value, atLeast, atMost }: Figure): boolean | null {
  if (atLeast === undefined && atMost === undefined) return null;
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

export function printReport({ benchmark, figures, notes }: Report): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map((figure) => `  ${figure.name.padEnd(width)}  ${formatFigure(figure)}`);
  return [benchmark, ...lines, ...notes.map((note) => `  ${note}`)].join('\n');
}

function formatFigure(figure: Figure): string {
  const { value, unit, spread, atLeast, atMost } = figure;
  const reached = isReached(figure);
  return [
    `${digits(value).padStart(9)} ${unit}`,
    spread && `(${digits(spread[0])} to ${digits(spread[1])})`,
    reached !== null &&
      `${reached ? 'reached' : 'MISSED'}: ${atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`}`,
  ]
    .filter(Boolean)
    .join('  ');
}

/** Three significant digits. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
