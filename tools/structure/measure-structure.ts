/** How finely the files are cut, and how far a reader has to go: counted over the hand-written production files. */
import { basename, dirname, join } from 'node:path/posix';
import { orderOfConcepts } from '../concepts.ts';

/** What every check holds. */
export const BOUNDS = { filesMax: 25, linesMax: 250, jumpsBelow: 20, withinPercentMin: 70 } as const;

/** Text by path from the root: hand-written production files, and the READMEs of subgraphs. */
export type SourceFiles = ReadonlyMap<string, string>;

export interface Structure {
  /** Longest first. */
  readonly lines: readonly Counted[];
  /** Files by folder, fullest first. */
  readonly folders: readonly Counted[];
  /** By subgraph: of the imports between its concepts' files, how many stay within their concept; those of the floor do not count. */
  readonly concepts: readonly { readonly subgraph: string; readonly within: number; readonly all: number }[];
  /** Helpers of few lines with one importer: jumps, not structure. */
  readonly jumps: readonly { readonly file: string; readonly importer: string }[];
}

interface Counted {
  readonly name: string;
  readonly count: number;
}

const JUMP_LINES_MAX = 40;

/** What stands by itself however small it is: the units of an API, a table, a page, a command, and the joints of a part. */
const NO_HELPER =
  /(\.(operation|table|job)\.ts|(^|\/)(main|resolvers|mutation-resolvers|config|definitions)\.ts)$|^rest-adapter\/(ext\/)?routes\/|\/commands\/|^dashboard\/pages\//;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

export function measureStructure(files: SourceFiles): Structure {
  const sources = [...files.keys()].filter((file) => file.endsWith('.ts'));
  const importers = new Map<string, Set<string>>();
  const imports = sources.flatMap((from) =>
    [...(files.get(from) ?? '').matchAll(IMPORT)].map(([, path = '']) => ({ from, to: join(dirname(from), path) })),
  );
  for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return {
    lines: byCount(sources.map((name) => ({ name, count: linesOf(files.get(name)) }))),
    folders: byCount([...Map.groupBy(sources, dirname)].map(([name, inside]) => ({ name, count: inside.length }))),
    concepts: [...files.keys()].flatMap((file) => {
      const [, subgraph] = /^subgraphs\/([^/]+)\/README\.md$/.exec(file) ?? [];
      return subgraph === undefined
        ? []
        : [{ subgraph, ...shareWithin(`subgraphs/${subgraph}`, files.get(file) ?? '', imports) }];
    }),
    jumps: sources.flatMap((file) => {
      const [importer, ...others] = importers.get(file) ?? [];
      const isJump =
        importer !== undefined &&
        others.length === 0 &&
        !NO_HELPER.test(file) &&
        linesOf(files.get(file)) <= JUMP_LINES_MAX;
      return isJump ? [{ file, importer }] : [];
    }),
  };
}

function shareWithin(
  folder: string,
  readme: string,
  imports: readonly { readonly from: string; readonly to: string }[],
): { within: number; all: number } {
  const counted = orderOfConcepts(readme)
    .filter(({ isFloor }) => !isFloor)
    .map((concept) => concept.folder);
  const conceptOf = (file: string) => {
    const inside = dirname(file).slice(folder.length + 1);
    return dirname(file).startsWith(`${folder}/`) && counted.includes(inside) ? inside.split('/')[0] : undefined;
  };
  const ends = imports
    .map(({ from, to }) => [conceptOf(from), conceptOf(to)])
    .filter(([from, to]) => from !== undefined && to !== undefined);
  return { within: ends.filter(([from, to]) => from === to).length, all: ends.length };
}

function linesOf(text = ''): number {
  return text.trimEnd().split('\n').length;
}

function byCount(entries: readonly Counted[]): Counted[] {
  return entries.toSorted(
    (one, other) => other.count - one.count || (basename(one.name) < basename(other.name) ? -1 : 1),
  );
}

/** A sentence with the fix for each bound that is passed. */
export function structureErrors({ folders, lines, concepts, jumps }: Structure): string[] {
  return [
    ...folders
      .filter(({ count }) => count > BOUNDS.filesMax)
      .map(
        ({ name, count }) =>
          `${name} holds ${count} files, more than ${BOUNDS.filesMax}: divide it by what its files are about, or merge helpers with their one user`,
      ),
    ...lines
      .filter(({ count }) => count > BOUNDS.linesMax)
      .map(({ name, count }) => `${name} has ${count} lines, more than ${BOUNDS.linesMax}: divide it`),
    ...concepts
      .filter(({ within, all }) => 100 * within < BOUNDS.withinPercentMin * all)
      .map(
        ({ subgraph, within, all }) =>
          `${subgraph}: only ${within} of ${all} imports stay within their concept, less than ${BOUNDS.withinPercentMin} %: move a file to the concept that uses it most, or make two concepts that always change together one`,
      ),
    ...(jumps.length < BOUNDS.jumpsBelow
      ? []
      : [
          `${jumps.length} helpers of a few lines have one importer each, ${BOUNDS.jumpsBelow - 1} are allowed: put one of them into its user\n` +
            jumps.map(({ file, importer }) => `  ${file} → ${importer}`).join('\n'),
        ]),
  ];
}
