/** The concepts of a subgraph, lowest first, as its README lists them under "Order of concepts". */

/** `readme` is its text; folders within a concept stand as `concept/folder`. */
export function orderOfConcepts(readme: string): string[] {
  const [, section = ''] = readme.split('\n## Order of concepts\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, concept = '']) => concept);
}
