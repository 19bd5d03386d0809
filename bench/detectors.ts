/**
 * Accuracy of anomaly detection (decision 57): shapes planted in synthetic and in real daily series, NAB with its own
 * score, and the forecast on M4's hourly series. Each is compared with a raw threshold, or with a repetition of
 * yesterday. Public data is copied from its source once; unavailable data is left out and listed.
 */
import { DAY_MS } from '#kernel/time/duration.ts';
import { measureForecasts, readM4 } from './detectors/hourly-forecasts.ts';
import { type Detections, type LabelledSeries, readNab, scoreNab } from './detectors/nab.ts';
import { makeSeries, type MadeSeries, plant, type Shape, SHAPES } from './detectors/planted.ts';
import { findPublicData, M4, NAB, type PublicData } from './detectors/public-data.ts';
import { LEARNING, replayEpisodes, replayThreshold, type Replay } from './detectors/replay.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';

const MONTH_DAYS = 30;
/** A rule's season is seven steps. NAB's season is a day, so a step is a seventh of a day. */
const NAB_STEP_MS = DAY_MS / 7;
const PLANTED_AT = 84;
const DAYS_AFTER = 14;

export async function measureDetectors({ progress }: BenchOptions): Promise<Report> {
  const figures: Figure[] = [];
  const notes: string[] = [];
  const find = (data: PublicData) => {
    const folder = findPublicData(data);
    notes.push(
      folder === null
        ? `${data.name} could not be downloaded from ${data.url} and is left out.`
        : `${data.name}: ${data.url} at ${data.commit.slice(0, 7)}; licence: ${data.licence}.`,
    );
    return folder;
  };
  progress('detectors: planted shapes');
  const made = makeSeries();
  figures.push(
    ...quietFigures('made series', made),
    ...SHAPES.flatMap((shape) => plantedFigures('made', made, shape, PLANTED_AT)),
  );
  const nab = find(NAB);
  if (nab !== null) {
    progress('detectors: NAB');
    figures.push(...nabFigures(readNab(nab)));
  }
  const m4 = find(M4);
  if (m4 !== null) {
    progress('detectors: M4');
    const hourly = readM4(m4);
    const daily = hourly.map(({ before, actual }) => ({ name: 'M4', costs: byDay([...before, ...actual]) }));
    figures.push(...quietFigures('real days of M4', daily));
    for (const shape of SHAPES.slice(0, 2)) figures.push(...plantedFigures('M4', daily, shape, LEARNING));
    const { smape, naiveSmape, held } = measureForecasts(hourly);
    figures.push(
      { name: 'forecast of M4, sMAPE', value: smape, unit: '%', atMost: naiveSmape },
      { name: 'yesterday repeated, sMAPE', value: naiveSmape, unit: '%' },
      { name: 'two-day totals within the range (9 of 10 expected)', value: 100 * held, unit: '%' },
    );
  }
  return { benchmark: 'detectors', figures, notes };
}

/** False alarms in series without planted shapes. */
function quietFigures(name: string, all: readonly MadeSeries[]): Figure[] {
  const perMonth = (replay: (costs: readonly number[]) => Replay) => {
    const replays = all.map(({ costs }) => replay(costs));
    const reports = replays.reduce((sum, { reported }) => sum + reported.length, 0);
    return reports / (replays.reduce((sum, { judged }) => sum + judged, 0) / MONTH_DAYS);
  };
  const unit = 'per series and month';
  return [
    { name: `${name}: false alarms`, value: perMonth(replayEpisodes), unit, atMost: 1 },
    { name: `${name}: by a raw threshold`, value: perMonth(replayThreshold), unit },
  ];
}

/**
 * For a shape that must be reported, the percentage found in time. For any other shape, the percentage of series with
 * a report within two weeks.
 */
function plantedFigures(name: string, all: readonly MadeSeries[], shape: Shape, at: number): Figure[] {
  const days = shape.promised ?? DAYS_AFTER;
  const part = (replay: (costs: readonly number[]) => Replay) => {
    // Spread evenly over the days of the week.
    const found = all.filter(({ costs }, index) => {
      const day = at + (index % 7);
      return replay(plant(costs, shape, day)).reported.some((each) => each >= day && each < day + days);
    });
    return (100 * found.length) / all.length;
  };
  const what =
    shape.promised === null ? `reported within ${days} days` : `found within ${days} day${days > 1 ? 's' : ''}`;
  return [
    { name: `${name}, ${shape.name}: ${what}`, value: part(replayEpisodes), unit: '%' },
    { name: `${name}, ${shape.name}: by a raw threshold`, value: part(replayThreshold), unit: '%' },
  ];
}

function nabFigures(all: readonly LabelledSeries[]): Figure[] {
  const detectors: readonly (readonly [string, (series: LabelledSeries) => readonly number[]])[] = [
    ['episodes', episodesOf],
    ['raw threshold, every record', aboveThreshold],
    ['raw threshold, once an episode', (series) => firstOfRuns(aboveThreshold(series))],
  ];
  const months = all.reduce((sum, { times }) => sum + (times.at(-1) ?? 0) - (times[0] ?? 0), 0) / (MONTH_DAYS * DAY_MS);
  return detectors.flatMap(([name, detect]) => {
    const result = scoreNab(all.map((series): Detections => ({ series, at: detect(series) })));
    return [
      { name: `NAB, ${name}: score`, value: result.score, unit: 'of 100' },
      { name: `NAB, ${name}: windows found`, value: (100 * result.found) / result.windows, unit: '%' },
      { name: `NAB, ${name}: false alarms`, value: result.falseAlarms / months, unit: 'per series and month' },
    ];
  });
}

/** The rule, applied to steps of a seventh of a day. A step is reported at the first record after it. */
function episodesOf({ times, values }: LabelledSeries): number[] {
  const first = times[0] ?? 0;
  const steps = Map.groupBy(times.keys(), (record) => Math.floor(((times[record] ?? 0) - first) / NAB_STEP_MS));
  const count = Math.max(...steps.keys()) + 1;
  const means = Array.from({ length: count }, (_, step) => {
    const records = steps.get(step) ?? [];
    return records.reduce((sum, record) => sum + Math.max(0, values[record] ?? 0), 0) / Math.max(1, records.length);
  });
  return replayEpisodes(means).reported.flatMap((step) => {
    const last = steps.get(step)?.at(-1);
    return last === undefined ? [] : [Math.min(last + 1, times.length - 1)];
  });
}

/** Three standard deviations above the mean of the probation records. */
function aboveThreshold({ values, probation }: LabelledSeries): number[] {
  const known = values.slice(0, probation);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const sigma = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length);
  return values.flatMap((value, record) => (record >= probation && value > mean + 3 * sigma ? [record] : []));
}

function firstOfRuns(records: readonly number[]): number[] {
  return records.filter((record, index) => record - 1 !== records[index - 1]);
}

function byDay(hours: readonly number[]): number[] {
  return Array.from({ length: Math.floor(hours.length / 24) }, (_, day) =>
    hours.slice(day * 24, day * 24 + 24).reduce((sum, value) => sum + value, 0),
  );
}
