/** Concepts of a subgraph, lowest first, as listed in its README under "Order of concepts". */

export interface Concept {
  /** The folder; one within a concept is written `concept/folder`. */
  readonly folder: string;
  /** True if all other concepts may build on it, as on the platform. */
  readonly isFloor: boolean;
}

/** `readme`: its text. */
export function orderOfConcepts(readme: string): Concept[] {
  const [, section = ''] = readme.split('\n## Order of concepts\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, folder = '', text = '']) => ({
    folder,
    isFloor: text.startsWith('Floor: '),
  }));
}
