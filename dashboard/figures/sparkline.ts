/** A small line of a tile, without axes. The chart of the linked page has the figures. */
import { html, type Html } from '../shell/html.ts';

const WIDTH = 100;
const HEIGHT = 24;

/** `null`: no value in that bucket. Zero is at the bottom unless a value is negative. */
export function sparkline(values: readonly (number | null)[]): Html | false {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return false;
  const [least, most] = [Math.min(...known, 0), Math.max(...known, 0)];
  if (least === most) return false;
  const yOf = (value: number) => (1 + ((most - value) / (most - least)) * (HEIGHT - 2)).toFixed(1);
  const step = WIDTH / (values.length - 1);
  let isDrawn = false;
  const path = values
    .map((value, index) => {
      const part = value === null ? '' : `${isDrawn ? 'L' : 'M'}${(index * step).toFixed(1)} ${yOf(value)}`;
      isDrawn = value !== null;
      return part;
    })
    .join('');
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${least < 0 && html`<path class="grid" d="M0 ${yOf(0)}H${WIDTH}"/>`}<path class="line" d="${path}"/></svg>`;
}
