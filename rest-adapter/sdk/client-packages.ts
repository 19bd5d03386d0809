/** The client libraries as packages for npm and pip, built from the files of this version. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { packTarball, packZip } from './pack-archives.ts';

const LICENSE = new URL('../../LICENSE', import.meta.url);
const NODE = new URL('../../packages/sdk-node/', import.meta.url);
const PYTHON = new URL('../../packages/sdk-python/', import.meta.url);
const MODULE = 'ai_product_books';

/** A gzipped tarball, like the one that `npm pack` writes. */
export function nodePackage(): Buffer {
  const compiled = JSON.parse(readFileSync(new URL('node-package.generated.json', import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
  const files = new Map([
    ['package/package.json', readFileSync(new URL('package.json', NODE))],
    ['package/README.md', readFileSync(new URL('README.md', NODE))],
    ['package/LICENSE', readFileSync(LICENSE)],
  ]);
  for (const [path, text] of Object.entries(compiled)) files.set(`package/${path}`, Buffer.from(text));
  return packTarball(files);
}

/** pip reads a wheel's name, version and platform from its file name. */
export interface Wheel {
  readonly fileName: string;
  readonly content: Buffer;
}

export function pythonWheel(): Wheel {
  const project = readFileSync(new URL('pyproject.toml', PYTHON), 'utf8');
  const setting = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(project)?.[1] ?? '';
  const version = setting('version');
  const name = setting('name').replaceAll('-', '_');
  const info = `${name}-${version}.dist-info`;
  const files = new Map<string, Buffer>();
  for (const file of readdirSync(new URL(`${MODULE}/`, PYTHON)).sort())
    if (/\.py$|^py\.typed$/.test(file))
      files.set(`${MODULE}/${file}`, readFileSync(new URL(`${MODULE}/${file}`, PYTHON)));
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${setting('name')}`,
    `Version: ${version}`,
    `Summary: ${setting('description')}`,
    'License: Apache-2.0',
    `Requires-Python: ${setting('requires-python')}`,
    'Description-Content-Type: text/markdown',
    '',
    readFileSync(new URL('README.md', PYTHON), 'utf8'),
  ].join('\n');
  files.set(`${info}/METADATA`, Buffer.from(metadata));
  files.set(
    `${info}/WHEEL`,
    Buffer.from('Wheel-Version: 1.0\nGenerator: ai-product-books\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  );
  files.set(`${info}/LICENSE`, readFileSync(LICENSE));
  const lines = [...files].map(
    ([path, content]) => `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}`,
  );
  files.set(`${info}/RECORD`, Buffer.from(`${[...lines, `${info}/RECORD,,`].join('\n')}\n`));
  return { fileName: `${name}-${version}-py3-none-any.whl`, content: packZip(files) };
}
