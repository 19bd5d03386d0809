/** Rules for imports. All imports point down: to `platform`, `schema` and `kernel`, and to lower concepts. */

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Each part, with the parts that it may import besides itself. */
const MAY_IMPORT = {
  kernel: [],
  schema: ['kernel'],
  packages: [],
  sample: ['kernel'],
  platform: ['kernel', 'schema'],
  gateway: ['kernel', 'platform', 'schema'],
  subgraphs: ['kernel', 'platform', 'reports', 'sample', 'schema'],
  reports: ['kernel', 'platform', 'schema'],
  'rest-adapter': ['kernel', 'platform', 'reports', 'schema'],
  dashboard: ['kernel', 'packages', 'platform', 'reports', 'schema'],
  cli: ['kernel', 'packages', 'platform', 'schema'],
  // Benchmarks may measure a rule of a subgraph, or a part of the service.
  bench: ['kernel', 'packages', 'platform', 'schema', 'start', 'subgraphs'],
  demo: ['cli', 'kernel', 'packages', 'platform', 'sample', 'schema'],
};
const PARTS = [...Object.keys(MAY_IMPORT), 'start', 'tools', 'test'];
/** Reads usage for costing and the REST adapter. Unlike the other packages, it is not published. */
const USAGE = 'packages/usage-normalizer/';
/** Its folders, lowest first. */
const USAGE_FOLDERS = ['names', 'counts', 'telemetry', 'responses'];
const PART_OF = { packages: `packages/(?!usage-normalizer/)` };

const partArrows = Object.entries(MAY_IMPORT).map(([part, allowed]) => ({
  name: `${part}-imports-only-${allowed.join('-and-') || 'itself'}`,
  comment:
    'Imports point down (MAY_IMPORT in .dependency-cruiser.cjs): move shared code down, or pass it as an argument.',
  severity: 'error',
  from: { path: `^${PART_OF[part] ?? `${part}/`}` },
  to: {
    path: `^(${PARTS.filter((other) => other !== part && !allowed.includes(other))
      .map((other) => PART_OF[other] ?? `${other}/`)
      .join('|')})`,
  },
}));

/**
 * The concepts of each subgraph, lowest first, from the table under "Order of concepts" in its README. A concept imports only
 * concepts before it. A folder within a concept is listed separately.
 */
const CONCEPTS = Object.fromEntries(
  readdirSync(join(__dirname, 'subgraphs')).map((subgraph) => {
    const [, section] = readFileSync(join(__dirname, 'subgraphs', subgraph, 'README.md'), 'utf8').split(
      '\n## Order of concepts\n',
    );
    return [subgraph, [...section.split('\n## ')[0].matchAll(/^\| `([^`]+)` \|/gm)].map(([, concept]) => concept)];
  }),
);

const usageArrows = [
  {
    name: 'usage-normalizer-imports-only-kernel-and-token-classes',
    comment: 'It knows no rates, tables or endpoints: pass what it needs as arguments.',
    severity: 'error',
    from: { path: `^${USAGE}` },
    to: { path: `^(${PARTS.join('|')})/`, pathNot: [`^${USAGE}`, '^kernel/', '^schema/token-classes\\.ts$'] },
  },
  {
    name: 'usage-normalizer-is-for-costing-and-the-edge',
    comment: 'Query costing through the gateway instead.',
    severity: 'error',
    from: {
      path: `^(${PARTS.join('|')})/`,
      pathNot: [`^${USAGE}`, '^subgraphs/costing/', '^(rest-adapter|dashboard|test|tools)/'],
    },
    to: { path: `^${USAGE}` },
  },
  ...USAGE_FOLDERS.slice(0, -1).map((folder, index) => ({
    name: `usage-normalizer-${folder}-knows-nothing-above-it`,
    comment:
      'The order of its folders is in packages/usage-normalizer/README.md: move shared code into the lower folder.',
    severity: 'error',
    from: { path: `^${USAGE}${folder}/` },
    to: { path: `^${USAGE}(${USAGE_FOLDERS.slice(index + 1).join('|')})/` },
  })),
];

const conceptArrows = Object.entries(CONCEPTS).flatMap(([subgraph, concepts]) => [
  ...concepts.slice(0, -1).map((concept, index) => ({
    name: `${subgraph}-${concept.replace('/', '-')}-knows-nothing-above-it`,
    comment: `The order of concepts is in subgraphs/${subgraph}/README.md: move shared code into the lower concept, or the rule into the higher one.`,
    severity: 'error',
    from: { path: `^subgraphs/${subgraph}/${concept}/[^/]+$` },
    to: { path: `^subgraphs/${subgraph}/(${concepts.slice(index + 1).join('|')})/[^/]+$` },
  })),
  {
    name: `${subgraph}-has-no-other-concepts`,
    comment: `Every concept is listed under "Order of concepts" in subgraphs/${subgraph}/README.md: add a line there.`,
    severity: 'error',
    from: { path: `^subgraphs/${subgraph}/` },
    to: { path: `^subgraphs/${subgraph}/.+/`, pathNot: [`^subgraphs/${subgraph}/(${concepts.join('|')})/[^/]+$`] },
  },
]);

/** Pure rules: files of a concept without a role suffix, except the payment processor's client, which calls an outside service. */
const RULE = { path: '^subgraphs/[^/]+/(?!migrations/).+/[^/.]+\\.ts$', pathNot: '^subgraphs/revenue/stripe/' };

module.exports = {
  forbidden: [
    ...partArrows,
    ...usageArrows,
    ...conceptArrows,
    {
      name: 'subgraphs-never-import-one-another',
      comment:
        'Query other subgraphs through the gateway with a document. A rule that both need belongs in kernel/ or schema/.',
      severity: 'error',
      from: { path: '^subgraphs/([^/]+)/' },
      to: { path: '^subgraphs/', pathNot: '^subgraphs/$1/' },
    },
    {
      name: 'rules-name-only-types-of-rows',
      comment:
        'A rule is pure: it may import only types of tables and steps. Code that queries the database belongs in a .query.ts or .step.ts.',
      severity: 'error',
      from: RULE,
      to: { path: '\\.(table|query|step|job)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'No database, clock, randomness or environment: pass their values as arguments.',
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
      comment: 'Code that decides or combines belongs in a step or an operation.',
      severity: 'error',
      from: { path: '^subgraphs/.+\\.(table|query)\\.ts$' },
      to: { path: '\\.(step|job)\\.ts$' },
    },
    {
      name: 'operations-are-called-by-resolvers-alone',
      comment: 'Operations never import operations: put shared code into a .step.ts of the concept that owns it.',
      severity: 'error',
      from: { path: '^subgraphs/', pathNot: '^subgraphs/[^/]+/((mutation-)?resolvers|main)\\.ts$' },
      to: { path: '\\.operation\\.ts$' },
    },
    {
      name: 'jobs-are-started-by-main-alone',
      comment: 'Put code that a job shares with an operation into a .step.ts of the concept that owns it.',
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
      comment: 'Put code shared by routes next to rest-adapter/routes/, not into a route.',
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
      comment: 'Packages are independent: pass whatever they need from others as arguments.',
      severity: 'error',
      from: { path: '^packages/(?!usage-normalizer/)([^/]+)/' },
      to: { path: `^(${PARTS.join('|')})/`, pathNot: '^packages/$1/' },
    },
    {
      name: 'contract-tests-are-black-boxes',
      comment: 'Contract tests use HTTP and import none of our code.',
      severity: 'error',
      from: { path: '^test/rest/' },
      to: { path: `^(${PARTS.filter((part) => !['test', 'packages'].includes(part)).join('|')})/` },
    },
    {
      name: 'no-cycles',
      comment: 'Move shared code into a separate file, or import only the type.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      comment: 'No file imports it: delete it, or import it where it is needed.',
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
      comment: 'A production install does not include it: move it to "dependencies", or do without it.',
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
