/** How finely the files are cut, and how far a reader has to go: counted over the hand-written production files. */
import { basename, dirname, join } from 'node:path/posix';
import { orderOfConcepts } from '../concepts.ts';

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

export interface Counted {
  readonly name: string;
  readonly count: number;
}

const JUMP_LINES_MAX = 40;

/** What stands by itself however small it is: the units of an API, a table, a page, a command, and the joints of a part. */
const NO_HELPER = /(\.(operation|table|job)\.ts|(^|\/)(main|resolvers|config|definitions)\.ts)$|^rest-adapter\/routes\/|\/commands\/|^dashboard\/pages\//;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

export function measureStructure(files: SourceFiles): Structure {
  const sources = [...files.keys()].filter((file) => file.endsWith('.ts'));
  const importers = new Map<string, Set<string>>();
  const imports = sources.flatMap((from) => [...(files.get(from) ?? '').matchAll(IMPORT)].map(([, path = '']) => ({ from, to: join(dirname(from), path) })));
  for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return {
    lines: byCount(sources.map((name) => ({ name, count: linesOf(files.get(name)) }))),
    folders: byCount([...Map.groupBy(sources, dirname)].map(([name, inside]) => ({ name, count: inside.length }))),
    concepts: [...files.keys()].flatMap((file) => {
      const [, subgraph] = /^subgraphs\/([^/]+)\/README\.md$/.exec(file) ?? [];
      return subgraph === undefined ? [] : [{ subgraph, ...shareWithin(`subgraphs/${subgraph}`, files.get(file) ?? '', imports) }];
    }),
    jumps: sources.flatMap((file) => {
      const [importer, ...others] = importers.get(file) ?? [];
      const isJump = importer !== undefined && others.length === 0 && !NO_HELPER.test(file) && linesOf(files.get(file)) <= JUMP_LINES_MAX;
      return isJump ? [{ file, importer }] : [];
    }),
  };
}

function shareWithin(folder: string, readme: string, imports: readonly { readonly from: string; readonly to: string }[]): { within: number; all: number } {
  const counted = orderOfConcepts(readme).filter(({ isFloor }) => !isFloor).map((concept) => concept.folder);
  const conceptOf = (file: string) => {
    const inside = dirname(file).slice(folder.length + 1);
    return dirname(file).startsWith(`${folder}/`) && counted.includes(inside) ? inside.split('/')[0] : undefined;
  };
  const ends = imports.map(({ from, to }) => [conceptOf(from), conceptOf(to)]).filter(([from, to]) => from !== undefined && to !== undefined);
  return { within: ends.filter(([from, to]) => from === to).length, all: ends.length };
}

function linesOf(text = ''): number {
  return text.trimEnd().split('\n').length;
}

function byCount(entries: readonly Counted[]): Counted[] {
  return entries.toSorted((one, other) => other.count - one.count || (basename(one.name) < basename(other.name) ? -1 : 1));
}
