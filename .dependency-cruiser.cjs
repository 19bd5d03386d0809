/** The arrows of the import graph. Every one of them points to `schema` or `platform`. */

/** A part, and the parts it may import beside itself. */
const MAY_IMPORT = {
  schema: [],
  platform: ['schema'],
  gateway: ['platform', 'schema'],
  subgraphs: ['platform', 'schema'],
  'rest-adapter': ['platform', 'schema'],
  dashboard: ['platform', 'schema'],
  admin: ['platform', 'schema'],
  bin: ['platform', 'schema'],
  bench: ['platform', 'schema'],
  demo: ['platform', 'schema'],
};
/** The payment processor of the tests: the demo and a benchmark show revenue with it, and nothing that runs for others knows it. */
const STAND_IN = '^test/support/stripe-stand-in/';
const PARTS = [...Object.keys(MAY_IMPORT), 'start', 'tools', 'test'];

const partArrows = Object.entries(MAY_IMPORT).map(([part, allowed]) => ({
  name: `${part}-imports-only-${allowed.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${part}/` },
  to: {
    path: `^(${PARTS.filter((other) => other !== part && !allowed.includes(other)).join('|')})/`,
    ...(part === 'demo' || part === 'bench' ? { pathNot: STAND_IN } : {}),
  },
}));

/** Inside a subgraph: a layer, and the files of its own subgraph it may import. */
const LAYERS = {
  operations: ['rules', 'data'],
  rules: ['rules', 'data'],
  data: ['rules', 'data'],
  jobs: ['rules', 'data', 'jobs'],
};

const layerArrows = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `${layer}-import-only-${allowed.filter((other) => other !== layer).join('-and-')}`,
  comment: 'resolvers → operations → rules, data; jobs → rules, data. Operations never import operations.',
  severity: 'error',
  from: { path: `^subgraphs/([^/]+)/${layer}/` },
  to: { path: '^subgraphs/$1/', pathNot: [`^subgraphs/$1/(${allowed.join('|')})/`, '^subgraphs/$1/config\\.ts$', '\\.generated\\.ts$'] },
}));

module.exports = {
  forbidden: [
    ...partArrows,
    ...layerArrows,
    {
      name: 'subgraphs-never-import-one-another',
      severity: 'error',
      from: { path: '^subgraphs/([^/]+)/' },
      to: { path: '^subgraphs/', pathNot: '^subgraphs/$1/' },
    },
    {
      name: 'rules-name-only-types-of-rows',
      comment: 'A rule is pure: of data it may know what a row looks like, and of the outside nothing that runs.',
      severity: 'error',
      from: { path: '^subgraphs/[^/]+/rules/' },
      to: { path: '^(subgraphs/[^/]+/data/|platform/(database|subgraph|transports|embedded-postgres)/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '^subgraphs/[^/]+/rules/' },
      to: { path: '^platform/(clock|random|config|log|metrics|job-loop|gateway-client)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvers-import-only-operations',
      severity: 'error',
      from: { path: '^subgraphs/([^/]+)/resolvers\\.ts$' },
      to: { path: '^subgraphs/$1/', pathNot: ['^subgraphs/$1/(operations/|config\\.ts$|resolvers\\.generated\\.ts$)'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'routes-never-import-routes',
      severity: 'error',
      from: { path: '^rest-adapter/routes/' },
      to: { path: '^rest-adapter/(routes/|route-table\\.ts$)' },
    },
    {
      name: 'production-never-imports-tests-or-tools',
      severity: 'error',
      from: { path: '^start/' },
      to: { path: '^(test|tools|bench|demo)/' },
    },
    {
      name: 'stand-in-imports-only-itself',
      comment: 'It speaks the wire format of the processor, and knows nothing of ours.',
      severity: 'error',
      from: { path: STAND_IN },
      to: { path: `^(${PARTS.join('|')})/`, pathNot: STAND_IN },
    },
    {
      name: 'contract-tests-are-black-boxes',
      comment: 'They speak HTTP and import nothing of ours.',
      severity: 'error',
      from: { path: '^test/rest/' },
      to: { path: `^(${PARTS.filter((part) => part !== 'test').join('|')})/` },
    },
    {
      name: 'one-door-to-decimals',
      severity: 'error',
      from: { pathNot: '^(schema/money\\.ts$|test/)' },
      to: { path: '^node_modules/decimal\\.js/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: `^(${PARTS.join('|')})/`, pathNot: ['/migrations/', '\\.(js|css|d\\.ts)$'] },
      to: {},
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'production-needs-no-development-package',
      severity: 'error',
      from: { path: `^(${PARTS.filter((part) => !['bench', 'test', 'tools'].includes(part)).join('|')})/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^node_modules', '^\\.data', '^coverage'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'] },
  },
};
