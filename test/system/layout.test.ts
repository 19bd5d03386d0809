/** The tree keeps its structure: all six subgraphs look alike, and a file's name says what is inside. */
import { basename, dirname, extname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { orderOfConcepts } from '../../tools/concepts.ts';
import { projectFiles, projectText } from '../support/project-files.ts';

const PARTS = [
  'bench',
  'cli',
  'dashboard',
  'demo',
  'gateway',
  'kernel',
  'packages',
  'platform',
  'reports',
  'rest-adapter',
  'sample',
  'schema',
  'start',
  'subgraphs',
  'tools',
];
const SKELETON = ['schema.graphql', 'resolvers.ts', 'config.ts', 'main.ts', 'README.md'];
/** A file's suffix is its role; a file without one is a pure rule. */
const ROLES = ['operation', 'table', 'query', 'step', 'job'];
/** A file is named for the one thing inside, never for a layer. */
const LAYER_NAMES = /^(service|manager|handler|helper|util|common|misc|base|type|index)s?$/;
const KEBAB_CASE = new RegExp(`^[a-z0-9]+(-[a-z0-9]+)*(\\.(test|generated|config|released|${ROLES.join('|')}))?$`);

const files = projectFiles();
const production = files.filter(
  (path) =>
    PARTS.includes(path.split('/')[0] ?? '') &&
    path.endsWith('.ts') &&
    !path.endsWith('.generated.ts') &&
    !path.includes('/migrations/'),
);

describe.each(SUBGRAPH_NAMES)('the subgraph %s', (name) => {
  const own = files
    .filter((path) => path.startsWith(`subgraphs/${name}/`))
    .map((path) => path.slice(`subgraphs/${name}/`.length));

  const concepts = [...new Set(own.filter((path) => path.includes('/')).map(dirname))].filter(
    (folder) => folder !== 'migrations',
  );

  test('has every part of the skeleton', () => {
    expect([...SKELETON, 'migrations'].filter((part) => !own.some((path) => path.split('/')[0] === part))).toEqual([]);
  });

  test('has nothing but the skeleton and concepts', () => {
    const known = [...SKELETON, 'mutation-resolvers.ts', 'resolvers.generated.ts'];
    expect(own.filter((path) => !path.includes('/') && !known.includes(path))).toEqual([]);
  });

  test('lists every concept in the README, and no others', () => {
    expect(
      orderOfConcepts(projectText(`subgraphs/${name}/README.md`))
        .map(({ folder }) => folder)
        .toSorted(),
    ).toEqual(concepts.toSorted());
  });

  test('exports one operation per file, named as the file', () => {
    const operations = own.filter((path) => path.endsWith('.operation.ts'));
    const odd = operations.filter(
      (path) => exportedValues(`subgraphs/${name}/${path}`).join() !== camelCase(stem(path)),
    );
    expect(odd).toEqual([]);
  });

  test('defines one table in each .table.ts, named as the file, and none elsewhere', () => {
    const odd = own
      .filter((path) => path.endsWith('.ts') && !path.startsWith('migrations/'))
      .filter((path) => {
        const tables = [
          ...projectText(`subgraphs/${name}/${path}`).matchAll(
            /^(?:export )?const (\w+) = (?:defineEntity|auditTable|operationTable)\(/gm,
          ),
        ].map(([, table]) => table);
        return tables.join() !== (path.endsWith('.table.ts') ? `${pascalCase(stem(path))}Table` : '');
      });
    expect(odd).toEqual([]);
  });
});

test('files are named in kebab-case', () => {
  // Backup files are named like their tables, and Python modules by Python's own style guide.
  const named = files.filter(
    (path) =>
      (PARTS.includes(path.split('/')[0] ?? '') && !path.endsWith('.py')) ||
      (path.startsWith('test/') && !path.endsWith('.copy.gz')),
  );
  const odd = named.filter(
    (path) => !KEBAB_CASE.test(stem(path)) && !/(^|\/)(README\.md|\.snapshot\.json|\.npmrc)$/.test(path),
  );
  expect(odd).toEqual([]);
});

test('no file is named for a layer', () => {
  expect(files.filter((path) => path.endsWith('.ts') && LAYER_NAMES.test(stem(path)))).toEqual([]);
});

test('production files say why they exist', () => {
  // The route's summary describes it.
  const silent = production.filter(
    (path) => !/^rest-adapter\/routes\//.test(path) && !projectText(path).includes('/**'),
  );
  expect(silent).toEqual([]);
});

/** Names of the functions, constants and classes that a file exports; types do not count. */
function exportedValues(path: string): string[] {
  return [...projectText(path).matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
}

/** The name without its extension and role: `sign-in.operation.ts` → `sign-in`. */
function stem(path: string): string {
  const name = basename(path, '.gz');
  return basename(name, extname(name)).replace(new RegExp(`\\.(${ROLES.join('|')})$`), '');
}

function camelCase(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function pascalCase(kebab: string): string {
  return camelCase(`-${kebab}`);
}
