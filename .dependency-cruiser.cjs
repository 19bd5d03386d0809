/** The arrows of the import graph. Every one of them points down: to `platform`, `schema` and `kernel`, and to concepts below. */

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** A part, and the parts it may import besides itself. */
const MAY_IMPORT = {
  kernel: [],
  schema: ['kernel'],
  packages: [],
  sample: ['kernel'],
  platform: ['kernel', 'schema'],
  gateway: ['kernel', 'platform', 'schema'],
  subgraphs: ['kernel', 'platform', 'sample', 'schema'],
  'rest-adapter': ['kernel', 'platform', 'schema'],
  dashboard: ['kernel', 'platform', 'schema'],
  cli: ['kernel', 'platform', 'schema'],
  // What is measured may be a rule of a subgraph, or the service without some of it.
  bench: ['kernel', 'packages', 'platform', 'schema', 'start', 'subgraphs'],
  demo: ['cli', 'kernel', 'packages', 'platform', 'sample', 'schema'],
};
const PARTS = [...Object.keys(MAY_IMPORT), 'start', 'tools', 'test'];
/** The error table is said in the schema; the readers of dates stop with its codes. */
const ERROR_TABLE = '^schema/errors\\.ts$';

const partArrows = Object.entries(MAY_IMPORT).map(([part, allowed]) => ({
  name: `${part}-imports-only-${allowed.join('-and-') || 'itself'}`,
  comment:
    'Arrows point down (MAY_IMPORT in .dependency-cruiser.cjs): move what both need down, or pass it as an argument.',
  severity: 'error',
  from: { path: `^${part}/` },
  to: {
    path: `^(${PARTS.filter((other) => other !== part && !allowed.includes(other)).join('|')})/`,
    ...(part === 'kernel' ? { pathNot: ERROR_TABLE } : {}),
  },
}));

/**
 * The concepts of each subgraph, lowest first: the table under "Order of concepts" of its README. A concept imports those before
 * it; a folder within a concept has a place of its own.
 */
const CONCEPTS = Object.fromEntries(
  readdirSync(join(__dirname, 'subgraphs')).map((subgraph) => {
    const [, section] = readFileSync(join(__dirname, 'subgraphs', subgraph, 'README.md'), 'utf8').split(
      '\n## Order of concepts\n',
    );
    return [subgraph, [...section.split('\n## ')[0].matchAll(/^\| `([^`]+)` \|/gm)].map(([, concept]) => concept)];
  }),
);

const conceptArrows = Object.entries(CONCEPTS).flatMap(([subgraph, concepts]) => [
  ...concepts.slice(0, -1).map((concept, index) => ({
    name: `${subgraph}-${concept.replace('/', '-')}-knows-nothing-above-it`,
    comment: `The order of concepts stands in subgraphs/${subgraph}/README.md: move what both need into the lower one, or the rule upwards.`,
    severity: 'error',
    from: { path: `^subgraphs/${subgraph}/${concept}/[^/]+$` },
    to: { path: `^subgraphs/${subgraph}/(${concepts.slice(index + 1).join('|')})/[^/]+$` },
  })),
  {
    name: `${subgraph}-has-no-other-concepts`,
    comment: `A concept has its place under "Order of concepts" of subgraphs/${subgraph}/README.md: add a line there.`,
    severity: 'error',
    from: { path: `^subgraphs/${subgraph}/` },
    to: { path: `^subgraphs/${subgraph}/.+/`, pathNot: [`^subgraphs/${subgraph}/(${concepts.join('|')})/[^/]+$`] },
  },
]);

/** A rule: a file of a concept whose name has no role as its ending. The processor's client is the one exception: it is the outside. */
const RULE = { path: '^subgraphs/[^/]+/(?!migrations/).+/[^/.]+\\.ts$', pathNot: '^subgraphs/revenue/stripe/' };

module.exports = {
  forbidden: [
    ...partArrows,
    ...conceptArrows,
    {
      name: 'subgraphs-never-import-one-another',
      comment:
        'What another subgraph knows is asked of the gateway by a document; a rule that both need belongs in kernel/ or schema/.',
      severity: 'error',
      from: { path: '^subgraphs/([^/]+)/' },
      to: { path: '^subgraphs/', pathNot: '^subgraphs/$1/' },
    },
    {
      name: 'rules-name-only-types-of-rows',
      comment:
        'A rule is pure: of tables and steps it may know types. What asks the database is a .query.ts or a .step.ts.',
      severity: 'error',
      from: RULE,
      to: { path: '\\.(table|query|step|job)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'No database, clock, randomness or environment: pass what they give as an argument.',
      severity: 'error',
      from: RULE,
      to: {
        path: '^platform/(database|subgraph|transports|clock|random|config|log|metrics|job-loop|gateway-client)(/|\\.ts$)',
        pathNot: '^platform/database/roles\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tables-and-queries-only-keep-and-ask',
      comment: 'What decides or combines is a step or an operation.',
      severity: 'error',
      from: { path: '^subgraphs/.+\\.(table|query)\\.ts$' },
      to: { path: '\\.(step|job)\\.ts$' },
    },
    {
      name: 'operations-are-called-by-resolvers-alone',
      comment: 'Operations never import operations: what two of them share is a .step.ts of the concept that owns it.',
      severity: 'error',
      from: { path: '^subgraphs/', pathNot: '^subgraphs/[^/]+/((mutation-)?resolvers|main)\\.ts$' },
      to: { path: '\\.operation\\.ts$' },
    },
    {
      name: 'jobs-are-started-by-main-alone',
      comment: 'What a job shares with an operation is a .step.ts of the concept that owns it.',
      severity: 'error',
      from: { path: '^subgraphs/', pathNot: '^subgraphs/[^/]+/main\\.ts$' },
      to: { path: '\\.job\\.ts$' },
    },
    {
      name: 'resolvers-import-only-operations',
      comment: 'A resolver calls one operation: write VERB-NOUN.operation.ts in its concept.',
      severity: 'error',
      from: { path: '^subgraphs/([^/]+)/(?:mutation-)?resolvers\\.ts$' },
      to: {
        path: '^subgraphs/$1/',
        pathNot: ['\\.operation\\.ts$', '^subgraphs/$1/(config|mutation-resolvers|resolvers\\.generated)\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'routes-never-import-routes',
      comment: 'What routes share lies beside rest-adapter/routes/, not in one of them.',
      severity: 'error',
      from: { path: '^rest-adapter/routes/' },
      to: { path: '^rest-adapter/(routes/|route-table\\.ts$)' },
    },
    {
      name: 'production-never-imports-tests-or-tools',
      comment: 'Move what is needed at run time to platform/ or to the part that uses it.',
      severity: 'error',
      from: { path: '^start/' },
      to: { path: '^(test|tools|bench|demo|packages/stripe-stand-in)/' },
    },
    {
      name: 'packages-import-only-themselves',
      comment: 'Each has a life of its own: what it needs of others is passed to it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: `^(${PARTS.join('|')})/`, pathNot: '^packages/$1/' },
    },
    {
      name: 'contract-tests-are-black-boxes',
      comment: 'They speak HTTP and import nothing of ours.',
      severity: 'error',
      from: { path: '^test/rest/' },
      to: { path: `^(${PARTS.filter((part) => !['test', 'packages'].includes(part)).join('|')})/` },
    },
    {
      name: 'no-cycles',
      comment: 'Move what both need into a file of its own, or import the type alone.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      comment: 'No one imports it: delete it, or import it where it is needed.',
      severity: 'error',
      from: {
        orphan: true,
        path: `^(${PARTS.join('|')})/`,
        pathNot: [
          '/migrations/',
          '^test/(support/(?:fixed-seeds|fast-clock)|chaos/shifted-clock)\\.ts$',
          '\\.(js|css|d\\.ts)$',
        ],
      },
      to: {},
    },
    {
      name: 'everything-resolves',
      comment: 'No such file or package: correct the path, or add the package to package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'production-needs-no-development-package',
      comment: 'A production install leaves it out: move it to "dependencies", or do without.',
      severity: 'error',
      from: { path: `^(${PARTS.filter((part) => !['bench', 'test', 'tools'].includes(part)).join('|')})/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^\\.data', '^coverage'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'],
    },
  },
};
