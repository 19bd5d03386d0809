/** A JSON list whose items were serialized when they were read. */
import { parseExactJson } from './exact-json.ts';

export class PrintedList {
  /** The list, as `printExactJson` would print it. */
  readonly text: string;

  /** `items`: JSON texts. */
  constructor(items: readonly string[]) {
    this.text = `[${items.join(',')}]`;
  }

  /** The items as values, for printers that serialize them again. */
  toJSON(): unknown[] {
    return parseExactJson(this.text) as unknown[];
  }
}
