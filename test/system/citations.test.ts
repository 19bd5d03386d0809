/** Every cited rule can be found, and every open point that we decided is recorded. */
import { describe, expect, test } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';

const CODE = /\.(ts|graphql|cjs|js)$/;
const SECTION = /contract\.md, (?:\*\s*)?"([^"]+)"/g;
/** `decision 9, D7`, and lists and ranges after it: `D2, D12`, `D41 to D43`. */
const ROWS = /decision 9, ((?:D\d+|,|;|and|or|to|\s|\*|\/\/)+)/g;

const sources = projectFiles()
  .filter((path) => CODE.test(path) && path !== 'test/system/citations.test.ts')
  .map((path) => [path, projectText(path).replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ')] as const);

const contract = projectText('docs/contract.md');
const decision = projectText('docs/decisions/0009-open-points-of-the-contract.md');
const sections = new Set([...contract.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title ?? ''));
const rows = [...decision.matchAll(/^\| D(\d+) \|/gm)].map(([, row]) => Number(row));
const cited = sources.flatMap(([path, text]) =>
  [...text.matchAll(ROWS)].flatMap(([, list]) => rowsOf(list ?? '').map((row) => ({ path, row }))),
);

describe('the contract', () => {
  test('has every section that code cites', () => {
    const missing = sources.flatMap(([path, text]) =>
      [...text.matchAll(SECTION)]
        .filter(([, title]) => !sections.has(title ?? ''))
        .map(([citation]) => `${path}: ${citation}`),
    );
    expect(missing).toEqual([]);
  });

  test('is cited by its name in this repository', () => {
    const absent = /api-specification\.md|\bdecisions\.md|`(?:design\/)?(?:performance|costing|identity|data)\.md/;
    const elsewhere = sources.filter(([, text]) => absent.test(text));
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });
});

describe('decision 9', () => {
  test('has every row that code cites', () => {
    expect(cited.filter(({ row }) => !rows.includes(row))).toEqual([]);
  });

  test('has no row that is not cited', () => {
    const production = new Set(cited.filter(({ path }) => !path.startsWith('test/')).map(({ row }) => row));
    expect(rows.filter((row) => !production.has(row)).map((row) => `D${row}`)).toEqual([]);
  });
});

/** `D41 to D43` means three rows, `D2, D12` two. */
function rowsOf(list: string): number[] {
  const ranges = [...list.matchAll(/D(\d+)(?: to D(\d+))?/g)];
  return ranges.flatMap(([, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at),
  );
}
