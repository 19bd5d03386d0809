/** `npm run check:generated`: all generated files are up to date. */
import { existsSync, readFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../', import.meta.url);

const files = await generatedFiles(root);
const stale = [...files].filter(([path, text]) => {
  const file = new URL(path, root);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});

if (stale.length > 0) {
  console.error(
    `These files are out of date: run \`npm run generate\`\n${stale.map(([path]) => `  ${path}`).join('\n')}`,
  );
  process.exitCode = 1;
} else {
  console.log(`${files.size} generated files are up to date`);
}
