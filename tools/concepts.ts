/** The concepts of a subgraph, lowest first, as its README lists them under "Order of concepts". */

export interface Concept {
  /** The folder; one within a concept stands as `concept/folder`. */
  readonly folder: string;
  /** On the floor stand all others, as on the platform. */
  readonly isFloor: boolean;
}

/** `readme` is its text. */
export function orderOfConcepts(readme: string): Concept[] {
  const [, section = ''] = readme.split('\n## Order of concepts\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, folder = '', text = '']) => ({
    folder,
    isFloor: text.startsWith('Floor: '),
  }));
}
