/** The tree keeps its shape: who knows one subgraph knows all four, and a file says by its name what is inside. */
import { basename, extname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SUBGRAPH_NAMES } from '../../platform/config.ts';
import { projectFiles, projectText } from '../support/project-files.ts';

const LINES_MAX = 250;
const PARTS = ['admin', 'bench', 'bin', 'dashboard', 'demo', 'gateway', 'platform', 'rest-adapter', 'schema', 'start', 'subgraphs', 'tools'];
const SKELETON = ['schema.graphql', 'resolvers.ts', 'config.ts', 'main.ts', 'README.md'];
const LAYERS = ['operations', 'rules', 'data', 'jobs'];
/** A file is named for the one thing inside, never for a layer. */
const LAYER_NAMES = /^(service|manager|handler|helper|util|common|misc|base|type|index)s?$/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|generated|config|released))?$/;

const files = projectFiles();
const production = files.filter((path) => PARTS.includes(path.split('/')[0] ?? '') && path.endsWith('.ts') && !path.endsWith('.generated.ts') && !path.includes('/migrations/'));

describe.each(SUBGRAPH_NAMES)('the subgraph %s', (name) => {
  const own = files.filter((path) => path.startsWith(`subgraphs/${name}/`)).map((path) => path.slice(`subgraphs/${name}/`.length));

  test('has every part of the skeleton', () => {
    const folders = new Set(own.map((path) => path.split('/')[0]));
    expect(SKELETON.filter((file) => !own.includes(file))).toEqual([]);
    expect(LAYERS.filter((layer) => !folders.has(layer))).toEqual([]);
  });

  test('has nothing beside the skeleton', () => {
    const known = [...SKELETON, ...LAYERS, 'resolvers.generated.ts'];
    expect(own.map((path) => path.split('/')[0] ?? '').filter((part) => !known.includes(part))).toEqual([]);
  });

  test('exports one operation a file, named as the file', () => {
    const operations = own.filter((path) => path.startsWith('operations/'));
    const odd = operations.filter((path) => exportedValues(`subgraphs/${name}/${path}`).join() !== camelCase(stem(path)));
    expect(odd).toEqual([]);
  });

  test('defines at most one table a file, named as the file', () => {
    const data = own.filter((path) => path.startsWith('data/') && !path.startsWith('data/migrations/'));
    const odd = data.filter((path) => {
      const tables = [...projectText(`subgraphs/${name}/${path}`).matchAll(/^(?:export )?const (\w+) = defineEntity\(/gm)].map(([, table]) => table);
      return tables.length > 1 || (tables.length === 1 && tables[0] !== `${pascalCase(stem(path))}Table`);
    });
    expect(odd).toEqual([]);
  });
});

test('files are named in kebab-case', () => {
  const named = files.filter((path) => PARTS.includes(path.split('/')[0] ?? '') || path.startsWith('test/'));
  const odd = named.filter((path) => !KEBAB_CASE.test(stem(path)) && !/(^|\/)(README\.md|\.snapshot\.json)$/.test(path));
  expect(odd).toEqual([]);
});

test('no file is named for a layer', () => {
  expect(files.filter((path) => path.endsWith('.ts') && LAYER_NAMES.test(stem(path)))).toEqual([]);
});

test(`production files have at most ${LINES_MAX} lines`, () => {
  expect(production.filter((path) => projectText(path).trimEnd().split('\n').length > LINES_MAX)).toEqual([]);
});

test('production files say why they exist', () => {
  // A route's summary says it.
  const silent = production.filter((path) => !/^rest-adapter\/routes\//.test(path) && !projectText(path).includes('/**'));
  expect(silent).toEqual([]);
});

/** Names of the functions, constants and classes that a file exports; types do not count. */
function exportedValues(path: string): string[] {
  return [...projectText(path).matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map(([, name]) => name ?? '');
}

function stem(path: string): string {
  return basename(path, extname(path));
}

function camelCase(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function pascalCase(kebab: string): string {
  return camelCase(`-${kebab}`);
}
