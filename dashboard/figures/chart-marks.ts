/**
 * Marks at instants of a chart, for example a rate change: drawn on the time axis, listed below it, and named in its
 * table.
 */
import type { CalendarUnit } from '#kernel/time/calendar.ts';
import { html, type Html } from '../shell/html.ts';
import { formatBucket, formatDate } from './instant.ts';

export interface ChartMark {
  readonly at: string;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  readonly href: string;
}

export interface DrawnMarks {
  /** Lines across the plot, in view box units. */
  lines(width: number, height: number): Html | false;
  /** Shapes between plot and axis, at their positions. */
  readonly strip: Html | false;
  /** Descriptions below the axis. */
  readonly list: Html | false;
  /** Heading of the chart table's column; `cell` is its content for a bucket. */
  readonly head: Html | false;
  cell(bucket: number): Html | false;
}

/** Distinguished by shape, not only by colour. */
const KINDS = {
  rate: { label: 'Other rates', path: 'M0 2L5 11H-5Z' },
  repricing: { label: 'Repriced', path: 'M-4.5 2H4.5V11H-4.5Z' },
  alert: { label: 'Alert', path: 'M0 1L5 6.5L0 12L-5 6.5Z' },
  note: { label: 'Note', path: 'M-4.5 2H4.5V8.5H0L-3 11.5V8.5H-4.5Z' },
  correction: { label: 'Corrections of closed months', path: 'M-4.5 5.2H-1.3V2H1.3V5.2H4.5V7.8H1.3V11H-1.3V7.8H-4.5Z' },
} as const;
const NAMES_MAX = 3;
const LINES_MAX = 6;

interface Group {
  readonly bucket: number;
  readonly kind: ChartMark['kind'];
  readonly marks: readonly ChartMark[];
}

/** `starts`: the chart's buckets, oldest first. Earlier marks are put into the first bucket. */
export function chartMarks(marks: readonly ChartMark[], starts: readonly string[], unit: CalendarUnit): DrawnMarks {
  const groups = groupsOf(marks, starts);
  if (groups.length === 0) return { lines: () => false, strip: false, list: false, head: false, cell: () => false };
  const centre = (bucket: number) => (bucket + 0.5) / starts.length;
  return {
    lines: (width, height) =>
      html`<path class="mark-line" d="${groups.map(({ bucket }) => `M${(centre(bucket) * width).toFixed(2)} 0V${height}`).join('')}"/>`,
    strip: html`
  <svg class="marks-strip" role="img" aria-label="Marks on the time axis, also listed below">${groups.map(
    ({ bucket, kind, marks: some }) =>
      html`<svg x="${(centre(bucket) * 100).toFixed(2)}%" overflow="visible"><g><title>${formatBucket(starts[bucket] ?? '', unit)}: ${KINDS[kind].label}: ${namesOf(some)}</title>${shape(kind)}</g></svg>`,
  )}</svg>`,
    list: html`
  <ul class="marks">${groups.slice(-LINES_MAX).map((group) => line(group))}${groups.length > LINES_MAX && html`<li class="muted">${groups.length - LINES_MAX} earlier marks are in the table.</li>`}</ul>`,
    head: html`<th scope="col">Marks</th>`,
    cell: (bucket) => {
      const here = groups.filter((group) => group.bucket === bucket);
      if (here.length === 0) return html`<td></td>`;
      return html`<td data-label="Marks">${here.map(({ kind, marks: some }, index) => html`${index > 0 && '; '}${KINDS[kind].label}: ${links(some, some.length)}`)}</td>`;
    },
  };
}

function groupsOf(marks: readonly ChartMark[], starts: readonly string[]): Group[] {
  const times = starts.map((start) => new Date(start).getTime());
  const bucketOf = ({ at }: ChartMark) =>
    Math.max(
      times.findLastIndex((start) => start <= new Date(at).getTime()),
      0,
    );
  const ordered = starts.length === 0 ? [] : marks.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return [...Map.groupBy(ordered, (mark) => `${bucketOf(mark)} ${mark.kind}`).values()].map((some) => ({
    bucket: bucketOf(some[0]!),
    kind: some[0]!.kind,
    marks: some,
  }));
}

function line({ kind, marks }: Group): Html {
  return html`
    <li><svg class="mark-sample" viewBox="-7 0 14 13" aria-hidden="true">${shape(kind)}</svg> ${formatDate(marks[0]!.at)} ${KINDS[kind].label}: ${links(marks, NAMES_MAX)}</li>`;
}

function shape(kind: Group['kind']): Html {
  return html`<path class="mark-${kind}" d="${KINDS[kind].path}"/>`;
}

function links(marks: readonly ChartMark[], max: number): Html {
  const others = marks.length - max;
  return html`${marks.slice(0, max).map(({ name, href }, index) => html`${index > 0 && ', '}<a href="${href}">${name}</a>`)}${others > 0 && ` and ${others} more`}`;
}

function namesOf(marks: readonly ChartMark[]): string {
  const others = marks.length - NAMES_MAX;
  const names = marks.slice(0, NAMES_MAX).map(({ name }) => name);
  return `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
