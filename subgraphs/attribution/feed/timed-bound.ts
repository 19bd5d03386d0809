/** How much work fits into a step of limited time, learned from the steps before. */

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

/** A step that filled the bound may be followed by one of this size. */
const GROWTH = 1.5;
/** A step below this part of the bound says nothing about larger ones. */
const FILLED = 0.5;

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
