/** `npm run check:structure`: folders stay small, concepts stay together, and no file is cut finer than it is read. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BOUNDS, measureStructure, structureErrors } from './structure/measure-structure.ts';

const root = new URL('../', import.meta.url);
const PARTS =
  '{bench,cli,dashboard,demo,gateway,kernel,packages,platform,rest-adapter,sample,schema,start,subgraphs,tools}';

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

const [folder] = structure.folders;
const [longest] = structure.lines;
console.log(`Files in the fullest folder   ${folder?.count} of ${BOUNDS.filesMax} (${folder?.name})`);
console.log(`Lines of the longest file     ${longest?.count} of ${BOUNDS.linesMax} (${longest?.name})`);
console.log(`Small helpers of one importer ${structure.jumps.length}, fewer than ${BOUNDS.jumpsBelow}`);
for (const { subgraph, within, all } of structure.concepts) {
  console.log(
    `Imports within a concept      ${((100 * within) / all).toFixed(1)} % in ${subgraph} (${within} of ${all}), at least ${BOUNDS.withinPercentMin} %`,
  );
}

const errors = structureErrors(structure);
for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
