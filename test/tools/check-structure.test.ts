import { expect, it } from 'vitest';
import {
  type SourceFiles,
  measureStructure,
  structureErrors,
  structureFigures,
  structureRemarks,
} from '../../tools/structure/measure-structure.ts';

const README =
  '# Costing\n\n## Order of concepts\n\n| Concept | What it holds |\n|---|---|\n| `audit-log` | Floor: who did what |\n| `rates` | cards |\n| `rates/catalogue` | imports |\n| `ledger` | entries |\n\n## Else\n';
const sources = (files: Readonly<Record<string, string>>): SourceFiles =>
  new Map([
    ['subgraphs/costing/README.md', README],
    ...Object.entries(files).map(([path, text]) => [`subgraphs/costing/${path}`, text] as const),
  ]);
const importing = (...paths: readonly string[]) => paths.map((path) => `import { x } from '${path}';\n`).join('');

it('the check counts imports within a concept and between two, and none of the layers below', () => {
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

it('the check finds small helpers that one file imports, and no operations, tables or larger files', () => {
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

it('the check reports large files, and fails at twice the limit', () => {
  const structure = {
    folders: [
      { name: 'dashboard', count: 51 },
      { name: 'cli', count: 26 },
      { name: 'demo', count: 25 },
    ],
    lines: [
      { name: 'a.ts', count: 501 },
      { name: 'b.ts', count: 251 },
      { name: 'c.ts', count: 250 },
    ],
    concepts: [{ subgraph: 'costing', within: 2, all: 3 }],
    jumps: [],
  };
  expect(structureErrors(structure)).toEqual([
    'dashboard contains 51 files: divide it by topic',
    'a.ts has 501 lines: divide it by topic',
  ]);
  expect(structureRemarks(structure)).toEqual([
    'dashboard contains 51 files',
    'cli contains 26 files',
    'a.ts has 501 lines',
    'b.ts has 251 lines',
  ]);
  expect(structureFigures(structure)).toEqual({
    files: 3,
    lines: 1002,
    longFiles: 2,
    fullFolders: 2,
    smallHelpers: 0,
    importsWithinConcepts: 66.7,
  });
});
