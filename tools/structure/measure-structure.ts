/**
 * Measures how finely the code is split into files, and how far a reader has to follow it. Covers handwritten
 * production files.
 */
import { basename, dirname, join } from 'node:path/posix';
import { orderOfConcepts } from '../concepts.ts';

/**
 * Files and folders above these bounds are listed in the report, as candidates for a split. The check fails at twice
 * the bound.
 */
const BOUNDS = { files: 25, lines: 250 } as const;
const FAILS_AT = 2;

/** Text by path from the root: handwritten production files, and the subgraphs' READMEs. */
export type SourceFiles = ReadonlyMap<string, string>;

export interface Structure {
  /** Longest first. */
  readonly lines: readonly Counted[];
  /** Files by folder, fullest first. */
  readonly folders: readonly Counted[];
  /**
   * Per subgraph, the imports between files of its concepts, and how many of them stay within a concept. Imports of
   * the floor do not count.
   */
  readonly concepts: readonly { readonly subgraph: string; readonly within: number; readonly all: number }[];
  /** Small helpers with one importer: they add jumps, not structure. */
  readonly jumps: readonly { readonly file: string; readonly importer: string }[];
}

interface Counted {
  readonly name: string;
  readonly count: number;
}

const JUMP_LINES_MAX = 40;

/**
 * Files that are separate units however small: units of an API, tables, pages, commands, and entry points of a part.
 */
const NO_HELPER =
  /(\.(operation|table|job)\.ts|(^|\/)(main|resolvers|mutation-resolvers|config|definitions)\.ts)$|^rest-adapter\/(ext\/)?routes\/|\/commands\/|^dashboard\/pages\//;
const IMPORT = /(?:from|import)\s*\(?\s*'([.#][^']+)'/g;

export function measureStructure(files: SourceFiles): Structure {
  const sources = [...files.keys()].filter((file) => file.endsWith('.ts'));
  const importers = new Map<string, Set<string>>();
  const imports = sources.flatMap((from) =>
    [...(files.get(from) ?? '').matchAll(IMPORT)].map(([, path = '']) => ({
      from,
      to: path.startsWith('#') ? path.slice(1) : join(dirname(from), path),
    })),
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

/** Figures of the report, for comparison with an earlier commit. */
export interface StructureFigures {
  readonly files: number;
  readonly lines: number;
  readonly longFiles: number;
  readonly fullFolders: number;
  readonly smallHelpers: number;
  /** Percent, one decimal. */
  readonly importsWithinConcepts: number;
}

export function structureFigures({ lines, folders, concepts, jumps }: Structure): StructureFigures {
  const within = concepts.reduce((sum, concept) => sum + concept.within, 0);
  const all = concepts.reduce((sum, concept) => sum + concept.all, 0);
  return {
    files: lines.length,
    lines: lines.reduce((sum, { count }) => sum + count, 0),
    longFiles: lines.filter(({ count }) => count > BOUNDS.lines).length,
    fullFolders: folders.filter(({ count }) => count > BOUNDS.files).length,
    smallHelpers: jumps.length,
    importsWithinConcepts: all === 0 ? 100 : Math.round((1000 * within) / all) / 10,
  };
}

/** Files and folders worth a review, largest first. */
export function structureRemarks({ folders, lines }: Structure): string[] {
  return [
    ...folders.filter(({ count }) => count > BOUNDS.files).map(({ name, count }) => `${name} contains ${count} files`),
    ...lines.filter(({ count }) => count > BOUNDS.lines).map(({ name, count }) => `${name} has ${count} lines`),
  ];
}

/** Failures of the check, with the fix. */
export function structureErrors({ folders, lines }: Structure): string[] {
  return [
    ...folders
      .filter(({ count }) => count > FAILS_AT * BOUNDS.files)
      .map(({ name, count }) => `${name} contains ${count} files: divide it by topic`),
    ...lines
      .filter(({ count }) => count > FAILS_AT * BOUNDS.lines)
      .map(({ name, count }) => `${name} has ${count} lines: divide it by topic`),
  ];
}
