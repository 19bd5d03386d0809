/** `npm run generate`: writes all generated files. Errors are printed one per line, as by `npm run check`. */
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../', import.meta.url);

try {
  for (const [path, text] of await generatedFiles(root)) writeFileSync(new URL(path, root), text);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
