/** `npm run generate`: writes every generated file. */
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../', import.meta.url);

for (const [path, text] of await generatedFiles(root)) writeFileSync(new URL(path, root), text);
