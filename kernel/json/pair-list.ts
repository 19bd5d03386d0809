/**
 * Pairs of numbers in segments. A single array of millions is copied whenever it grows, which blocks for tens of
 * milliseconds.
 */

/** Even, so that no pair is divided. */
const SEGMENT_NUMBERS = 16_384;

export class PairList {
  private readonly segments: number[][] = [[]];
  private last: number[] = this.segments[0]!;

  push(first: number, second: number): void {
    if (this.last.length === SEGMENT_NUMBERS) this.segments.push((this.last = []));
    this.last.push(first, second);
  }

  /** The first number of the last pair, or undefined if the list is empty. */
  lastFirst(): number | undefined {
    return this.last.at(-2);
  }

  /** Removes the last pair. */
  pop(): void {
    this.last.length -= 2;
    if (this.last.length > 0 || this.segments.length === 1) return;
    this.segments.pop();
    this.last = this.segments.at(-1)!;
  }

  /** The number at an index, with both numbers of a pair counted. */
  at(index: number): number | undefined {
    return this.segments[Math.floor(index / SEGMENT_NUMBERS)]?.[index % SEGMENT_NUMBERS];
  }
}
