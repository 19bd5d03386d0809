/** The bounds of the structure, and a sentence with the fix for each that is passed. */
import type { Structure } from './measure-structure.ts';

export const BOUNDS = { filesMax: 25, linesMax: 250, jumpsBelow: 20, withinPercentMin: 70 } as const;

export function structureErrors({ folders, lines, concepts, jumps }: Structure): string[] {
  return [
    ...folders.filter(({ count }) => count > BOUNDS.filesMax).map(({ name, count }) =>
      `${name} holds ${count} files, more than ${BOUNDS.filesMax}: divide it by what its files are about, or merge helpers with their one user`),
    ...lines.filter(({ count }) => count > BOUNDS.linesMax).map(({ name, count }) =>
      `${name} has ${count} lines, more than ${BOUNDS.linesMax}: divide it`),
    ...concepts.filter(({ within, all }) => 100 * within < BOUNDS.withinPercentMin * all).map(({ subgraph, within, all }) =>
      `${subgraph}: only ${within} of ${all} imports stay within their concept, less than ${BOUNDS.withinPercentMin} %: move a file to the concept that uses it most, or make two concepts that always change together one`),
    ...(jumps.length < BOUNDS.jumpsBelow ? [] : [
      `${jumps.length} helpers of a few lines have one importer each, ${BOUNDS.jumpsBelow - 1} are allowed: put one of them into its user\n`
      + jumps.map(({ file, importer }) => `  ${file} → ${importer}`).join('\n'),
    ]),
  ];
}
