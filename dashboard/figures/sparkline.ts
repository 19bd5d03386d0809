/** A small line chart in a tile, without axes. The chart of the linked page has the figures. */
import { html, type Html } from '../shell/html.ts';
import { linePath } from './line-path.ts';

const WIDTH = 100;
const HEIGHT = 24;

/** `null`: the bucket has no value. Zero is at the bottom unless a value is negative. */
export function sparkline(values: readonly (number | null)[]): Html | false {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return false;
  const [least, most] = [Math.min(...known, 0), Math.max(...known, 0)];
  if (least === most) return false;
  const yOf = (value: number) => (1 + ((most - value) / (most - least)) * (HEIGHT - 2)).toFixed(1);
  const step = WIDTH / (values.length - 1);
  const path = linePath(
    values.map((value, index) => (value === null ? null : [(index * step).toFixed(1), yOf(value)])),
  );
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${least < 0 && html`<path class="grid" d="M0 ${yOf(0)}H${WIDTH}"/>`}<path class="line" d="${path}"/></svg>`;
}
