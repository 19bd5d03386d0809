/** A list of JSON whose items were printed where they were read. */
import { parseExactJson } from './exact-json.ts';

export class PrintedList {
  /** The list as `printExactJson` prints it. */
  readonly text: string;

  /** `items`: each as JSON. */
  constructor(items: readonly string[]) {
    this.text = `[${items.join(',')}]`;
  }

  /** Its items as values, for printers that print them again. */
  toJSON(): unknown[] {
    return parseExactJson(this.text) as unknown[];
  }
}
