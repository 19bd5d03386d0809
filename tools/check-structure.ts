/**
 * `npm run check:structure`: a report on files, folders and concepts, with the change since the recorded figures.
 * `node tools/check-structure.ts --record` records new figures.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  measureStructure,
  structureErrors,
  type StructureFigures,
  structureFigures,
  structureRemarks,
} from './structure/measure-structure.ts';

const root = new URL('../', import.meta.url);
const PARTS =
  '{bench,cli,dashboard,demo,gateway,kernel,packages,platform,reports,rest-adapter,sample,schema,start,subgraphs,tools}';

const paths = globSync([`${PARTS}/**/*.ts`, 'subgraphs/*/README.md'], {
  cwd: fileURLToPath(root),
  exclude: (name) => name === 'node_modules' || name === 'migrations',
});
const handWritten = paths
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.generated.ts'))
  .sort();
const structure = measureStructure(
  new Map(handWritten.map((path) => [path, readFileSync(new URL(path, root), 'utf8')])),
);

const RECORD = new URL('tools/structure/figures.json', root);
const NAMES = {
  files: 'Hand-written files',
  lines: 'Lines in them',
  longFiles: 'Files over 250 lines',
  fullFolders: 'Folders over 25 files',
  smallHelpers: 'Small helpers with one importer',
  importsWithinConcepts: 'Imports within a concept, percent',
} satisfies Record<keyof StructureFigures, string>;

const figures = structureFigures(structure);
if (process.argv.includes('--record')) writeFileSync(RECORD, `${JSON.stringify(figures, null, 2)}\n`);
const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as StructureFigures;
for (const [key, name] of Object.entries(NAMES) as [keyof StructureFigures, string][]) {
  const change = Math.round(10 * (figures[key] - recorded[key])) / 10;
  console.log(`${name.padEnd(34)} ${figures[key]}${change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`}`);
}
for (const remark of structureRemarks(structure)) console.log(`Is it one thing? ${remark}`);

const errors = structureErrors(structure);
for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
