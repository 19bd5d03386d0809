/**
 * `npm run check:conventions`: statements name their organization, subgraphs do not
 * ask how many nodes there are, amounts are not doubles, tests do not wait for a fixed time, versions are
 * exact, the public graph has one style, every setting is documented, and commits on this branch have a proper subject.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildASTSchema, parse } from 'graphql';
import { SETTING_NAMES } from '#platform/config.ts';
import {
  amountErrors,
  graphErrors,
  nodeErrors,
  organizationErrors,
  settingErrors,
  type SourceText,
  subjectErrors,
  tenantTables,
  versionErrors,
  waitErrors,
} from './conventions/convention-errors.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): SourceText => ({ path, text: readFileSync(new URL(path, root), 'utf8') });
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: fileURLToPath(root) })
    .sort()
    .map(read);

const statements = files('subgraphs/**/*.{table,query,step,job,operation}.ts');
const api = buildASTSchema(parse(read('schema/api.graphql').text), { assumeValid: true, assumeValidSDL: true });

const errors = [
  ...organizationErrors(statements, tenantTables(statements)),
  ...nodeErrors(files('subgraphs/**/*.ts')),
  ...amountErrors(files('{cli,dashboard,gateway,platform,reports,rest-adapter,sample,subgraphs}/**/*.ts')),
  ...waitErrors(files('test/**/*.test.ts')),
  ...versionErrors(files('package.json', 'packages/*/package.json')),
  ...graphErrors(api),
  ...settingErrors(
    SETTING_NAMES.filter((name) => name !== 'NODE_ENV'),
    [read('docs/operations/configure.md'), read('.env.example')],
  ),
  ...subjectErrors(newSubjects()),
];

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log('All conventions are followed');

/** Subjects of the commits that are not on `main`; empty without Git or without a branch `main`. */
function newSubjects(): string[] {
  try {
    const range = ['log', '--no-merges', '--format=%s', 'main..HEAD'];
    return execFileSync('git', range, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
