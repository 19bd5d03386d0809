/** Limits the work of a step by time: learns from earlier steps how much fits. */

export interface WorkBound {
  /** Work that the next step may do. */
  readonly max: number;
  /** Records a step. */
  took(work: number, milliseconds: number): void;
}

/** A bound that is the same for every step. */
export function fixedBound(max: number): WorkBound {
  return { max, took: () => {} };
}

/** A step that filled the bound may be followed by one that is larger by this factor. */
const GROWTH = 1.5;
/** A step that uses less than this share of the bound does not show how long larger steps take. */
const FILLED = 0.5;

/** `least` and `most` limit the work of a step, `first` is the first step's. `milliseconds`: how long a step should take. */
export function timedBound({
  least,
  most,
  first,
  milliseconds: target,
}: {
  readonly least: number;
  readonly most: number;
  readonly first: number;
  readonly milliseconds: number;
}): WorkBound {
  let max = first;
  return {
    get max() {
      return max;
    },
    took(work, milliseconds) {
      const fits = (work * target) / milliseconds;
      // A slow step below the minimum does not lower the bound: it waited for something else, such as a busy processor.
      if (milliseconds > target && work >= least) max = Math.min(max, fits);
      else if (work >= max * FILLED) max = Math.min(max * GROWTH, fits);
      max = Math.floor(Math.min(Math.max(max, least), most));
    },
  };
}
