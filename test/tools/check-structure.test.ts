import { describe, expect, it } from 'vitest';
import { type SourceFiles, measureStructure, structureErrors } from '../../tools/structure/measure-structure.ts';

const README =
  '# Costing\n\n## Order of concepts\n\n| Concept | What it holds |\n|---|---|\n| `audit-log` | Floor: who did what |\n| `rates` | cards |\n| `rates/catalogue` | imports |\n| `ledger` | entries |\n\n## Else\n';
const sources = (files: Readonly<Record<string, string>>): SourceFiles =>
  new Map([
    ['subgraphs/costing/README.md', README],
    ...Object.entries(files).map(([path, text]) => [`subgraphs/costing/${path}`, text] as const),
  ]);
const importing = (...paths: readonly string[]) => paths.map((path) => `import { x } from '${path}';\n`).join('');

it('counts imports within a concept and between two, and none of the floor', () => {
  const { concepts } = measureStructure(
    sources({
      'main.ts': importing('./rates/card.ts'),
      'rates/card.ts': importing('../audit-log/record.table.ts'),
      'rates/match.ts': importing('./card.ts'),
      'rates/catalogue/import.ts': importing('../card.ts', '../../../../kernel/money.ts'),
      'ledger/entry.ts': importing('../rates/card.ts'),
    }),
  );
  expect(concepts).toEqual([{ subgraph: 'costing', within: 2, all: 3 }]);
});

it('finds small helpers that one file imports, and no operations, tables or larger files', () => {
  const { jumps } = measureStructure(
    sources({
      'rates/set-rate.operation.ts': importing('./one.ts', './two.ts', './long.ts', './card.table.ts'),
      'rates/match-rate.operation.ts': importing('./two.ts'),
      'resolvers.ts': importing('./rates/set-rate.operation.ts'),
      'rates/one.ts': 'x',
      'rates/two.ts': 'x',
      'rates/card.table.ts': 'x',
      'rates/long.ts': 'x\n'.repeat(41),
    }),
  );
  expect(jumps).toEqual([
    { file: 'subgraphs/costing/rates/one.ts', importer: 'subgraphs/costing/rates/set-rate.operation.ts' },
  ]);
});

describe('it names the fix of', () => {
  const nothing = { folders: [], lines: [], concepts: [], jumps: [] };

  it('a folder that is too full', () => {
    expect(
      structureErrors({
        ...nothing,
        folders: [
          { name: 'dashboard', count: 26 },
          { name: 'cli', count: 25 },
        ],
      }),
    ).toEqual([
      'dashboard holds 26 files, more than 25: divide it by what its files are about, or merge helpers with their one user',
    ]);
  });

  it('a file that is too long', () => {
    expect(
      structureErrors({
        ...nothing,
        lines: [
          { name: 'a.ts', count: 251 },
          { name: 'b.ts', count: 250 },
        ],
      }),
    ).toEqual(['a.ts has 251 lines, more than 250: divide it']);
  });

  it('concepts that lean on one another', () => {
    expect(
      structureErrors({
        ...nothing,
        concepts: [
          { subgraph: 'costing', within: 69, all: 100 },
          { subgraph: 'revenue', within: 7, all: 10 },
        ],
      }),
    ).toEqual([
      'costing: only 69 of 100 imports stay within their concept, less than 70 %: move a file to the concept that uses it most, or make two concepts that always change together one',
    ]);
  });

  it('one jump too many', () => {
    const jump = { file: 'a.ts', importer: 'b.ts' };
    expect(structureErrors({ ...nothing, jumps: Array.from({ length: 19 }, () => jump) })).toEqual([]);
    expect(structureErrors({ ...nothing, jumps: Array.from({ length: 20 }, () => jump) })[0]).toMatch(
      /^20 helpers .* 19 are allowed: put one of them into its user\n {2}a\.ts → b\.ts\n/,
    );
  });
});
