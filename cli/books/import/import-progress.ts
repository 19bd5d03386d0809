/** Progress of an import: a bar on a terminal, otherwise a line for each tenth of the file. */
import type { Dependencies } from '../dependencies.ts';

const BAR_WIDTH = 30;
const STEPS = 10;

interface ImportProgress {
  /** `done`: bytes read so far. */
  at(done: number, rows: number): void;
  end(): void;
}

/** `size`: bytes of the file. */
export function importProgress({ draw, say }: Pick<Dependencies, 'draw' | 'say'>, size: number): ImportProgress {
  let saidSteps = 0;
  return {
    at(done, rows) {
      const share = size === 0 ? 1 : Math.min(1, done / size);
      const text = `${Math.floor(share * 100)}%  ${rows} rows`;
      const steps = Math.floor(share * STEPS);
      if (draw !== null) draw(`${bar(share)} ${text}`);
      // The last step is not reported, because the result follows it.
      else if (steps > saidSteps && steps < STEPS) say(text);
      saidSteps = Math.max(saidSteps, steps);
    },
    end: () => draw?.(''),
  };
}

function bar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}
