/**
 * The Numenta Anomaly Benchmark: 58 series with labelled windows, and its score (Lavin and Ahmad 2015, "Evaluating
 * real-time anomaly detection algorithms"; standard profile). A detection early in a window earns up to 1. A missed
 * window costs 1. A false alarm costs 0.11, or less soon after a window. A score of 0 means that nothing was found,
 * 100 that everything was found at once.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LabelledSeries {
  readonly name: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** First and last record of each labelled window. */
  readonly windows: readonly (readonly [first: number, last: number])[];
  /** Initial records that every detector may learn from; they are not scored. */
  readonly probation: number;
}

const FALSE_ALARM = 0.11;
const PROBATION_PART = 0.15;
const PROBATION_RECORDS = 5_000;

export function readNab(folder: string): LabelledSeries[] {
  const labels = JSON.parse(readFileSync(join(folder, 'labels/combined_windows.json'), 'utf8')) as Record<
    string,
    readonly (readonly [string, string])[]
  >;
  return globSync('*/*.csv', { cwd: join(folder, 'data') })
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
    .map((name) => {
      const lines = readFileSync(join(folder, 'data', name), 'utf8')
        .trim()
        .split('\n')
        .slice(1);
      const records = lines.map((line) => line.split(','));
      const times = records.map(([time = '']) => timeOf(time));
      return {
        name,
        times,
        values: records.map(([, value]) => Number(value)),
        windows: (labels[name] ?? []).map(
          ([first, last]) => [times.indexOf(timeOf(first)), times.indexOf(timeOf(last))] as const,
        ),
        probation: Math.floor(PROBATION_PART * Math.min(times.length, PROBATION_RECORDS)),
      };
    });
}

export interface Detections {
  readonly series: LabelledSeries;
  /** Records at which the detector reports. */
  readonly at: readonly number[];
}

export interface NabResult {
  readonly score: number;
  readonly windows: number;
  readonly found: number;
  /** Reports outside all windows. */
  readonly falseAlarms: number;
}

export function scoreNab(all: readonly Detections[]): NabResult {
  const parts = all.map(scoreSeries);
  const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
  const windows = sum((part) => part.windows);
  // Finding nothing scores -1 per window, finding everything at once +1.
  const score = (100 * (sum((part) => part.score) + windows)) / (2 * windows);
  return { score, windows, found: sum((part) => part.found), falseAlarms: sum((part) => part.falseAlarms) };
}

function scoreSeries({ series: { windows, probation }, at }: Detections): NabResult {
  const best = new Map<number, number>();
  let lost = 0;
  let falseAlarms = 0;
  for (const record of at.filter((each) => each >= probation)) {
    const inside = windows.findIndex(([first, last]) => record >= first && record <= last);
    const [first, last] = windows[inside] ?? [0, 0];
    if (inside >= 0) {
      const position = -(last - record + 1) / (last - first + 1);
      best.set(inside, Math.max(best.get(inside) ?? -1, sigmoid(position) / sigmoid(-1)));
      continue;
    }
    const before = windows.findLast(([, end]) => end < record);
    lost += before === undefined ? -1 : sigmoid((record - before[1]) / (before[1] - before[0]));
    falseAlarms++;
  }
  // A window within the probation of its series can be neither found nor missed.
  const scored = windows.flatMap(([, last], index) => (last >= probation ? [index] : []));
  const found = scored.filter((index) => best.has(index));
  const score = scored.reduce((total, index) => total + (best.get(index) ?? -1), FALSE_ALARM * lost);
  return { score, windows: scored.length, found: found.length, falseAlarms };
}

/** Falls from just below 1 at the left edge of a window, through 0 at its right edge, to -1 far behind it. */
function sigmoid(position: number): number {
  return position > 3 ? -1 : 2 / (1 + Math.exp(5 * position)) - 1;
}

function timeOf(text: string): number {
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);
}
