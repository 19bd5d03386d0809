/** `npm run check:words`: one word for one thing, as `docs/glossary.md` has it, in names, comments and documents. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wordErrors } from './words/word-errors.ts';

/** They name the words that are refused, or are written by a tool. */
const EXCEPT =
  /^(docs\/glossary\.md|docs\/decisions\/0018|CHANGELOG\.md|NOTICE|tools\/words\/|test\/tools\/word-errors|schema\/(api|supergraph))|(^|\/)migrations\/|\.generated\.ts$/;

const root = new URL('../', import.meta.url);
const paths = globSync('**/*.{ts,md,graphql}', {
  cwd: fileURLToPath(root),
  exclude: (name) => name === 'node_modules' || name === '.data' || name === 'coverage',
});
const checked = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !EXCEPT.test(path));
const errors = checked.sort().flatMap((path) => wordErrors(path, readFileSync(new URL(path, root), 'utf8')));

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log(`The words of ${checked.length} files are the field's`);
