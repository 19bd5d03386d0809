/**
 * Lint rules: correctness with types, and one module each for access to time, randomness, environment, money and
 * output.
 */
import { defineConfig, type OxlintConfig } from 'oxlint';

const CLOCK = 'Only platform/clock.ts reads the time: use it.';
const RANDOM = 'Only platform/random.ts creates random values: use it.';
const ENVIRONMENT = 'Only platform/config.ts reads settings: pass them as arguments.';
const MONEY = 'Only kernel/money.ts imports the decimal library: use its functions.';
const DAY = 'Only kernel/time/duration.ts defines lengths of time: import them.';
const PROCESSOR = 'Only subgraphs/revenue/stripe/ sends requests to the payment processor.';
const OUTBOUND = 'Only platform/outbound/ sends requests to other hosts: use its client.';
const MAIL = 'Only subgraphs/alerting/deliveries/send-mail.ts sends mail.';
const STATEMENT = 'Only platform/database/ runs SQL: build the query with statement() and run it on the transaction.';
const ROW = 'Rows have camelCase properties, whatever the columns are called (platform/database/camel-case.ts).';
const RANDOM_OF_CRYPTO = [
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
  'webcrypto',
];

const syntax = {
  defaultExport: {
    selector: 'ExportDefaultDeclaration',
    message: 'Export by name: a file is named for the one thing inside.',
  },
  clock: [
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: CLOCK },
    { selector: "CallExpression[callee.name='Date']", message: CLOCK },
    { selector: "MemberExpression[object.name='Date'][property.name='now']", message: CLOCK },
    { selector: "MemberExpression[object.name='process'][property.name=/^(hrtime|uptime)$/]", message: CLOCK },
  ],
  random: [
    { selector: "MemberExpression[object.name='Math'][property.name='random']", message: RANDOM },
    {
      selector: `MemberExpression[object.name='crypto'][property.name=/^(${RANDOM_OF_CRYPTO.join('|')})$/]`,
      message: RANDOM,
    },
  ],
  environment: [{ selector: "MemberExpression[object.name='process'][property.name='env']", message: ENVIRONMENT }],
  statements: [{ selector: "MemberExpression[object.name='CompiledQuery'][property.name='raw']", message: STATEMENT }],
  durations: [{ selector: 'Literal[value=/^(86400|86400000|3600000)$/]', message: DAY }],
};

const imports = {
  clock: ['perf_hooks', 'node:perf_hooks'].map((name) => ({ name, importNames: ['performance'], message: CLOCK })),
  random: ['crypto', 'node:crypto'].map((name) => ({ name, importNames: RANDOM_OF_CRYPTO, message: RANDOM })),
  environment: ['process', 'node:process'].map((name) => ({ name, importNames: ['env'], message: ENVIRONMENT })),
  money: [{ name: 'decimal.js', message: MONEY }],
  processor: [{ name: 'stripe', message: PROCESSOR }],
  outbound: [
    { name: 'undici', message: OUTBOUND },
    ...['http', 'node:http', 'https', 'node:https'].map((name) => ({
      name,
      importNames: ['request', 'get', 'Agent'],
      message: OUTBOUND,
    })),
    ...['net', 'node:net', 'tls', 'node:tls'].map((name) => ({
      name,
      importNames: ['connect', 'createConnection', 'Socket'],
      allowTypeImports: true,
      message: OUTBOUND,
    })),
  ],
  mail: [{ name: 'nodemailer', message: MAIL }],
};

const globals = {
  clock: [{ name: 'performance', message: CLOCK }],
  outbound: ['fetch', 'WebSocket', 'EventSource'].map((name) => ({ name, message: OUTBOUND })),
};

type Rules = NonNullable<OxlintConfig['rules']>;

/**
 * Forbids all restricted accesses except those listed. A rule without entries is turned off: with only a severity it
 * would keep older entries.
 */
function doors({ open = [], further = [] }: { open?: string[]; further?: object[] } = {}): Rules {
  const closed = (of: Readonly<Record<string, object | readonly object[]>>) =>
    Object.entries(of)
      .filter(([door]) => !open.includes(door))
      .flatMap(([, rules]) => rules);
  const restrict = (entries: readonly object[]): 'off' | ['error', ...object[]] =>
    entries.length === 0 ? 'off' : ['error', ...entries];
  const paths = closed(imports);
  return {
    'eslint-js/no-restricted-syntax': restrict([...closed(syntax), ...further]),
    'no-restricted-imports': restrict(paths.length === 0 ? [] : [{ paths }]),
    'no-restricted-globals': restrict(closed(globals)),
  } as Rules;
}

/** Rules beyond oxlint's category `correctness`, which rejects outright errors. */
const RULES: Rules = {
  // The structure report lists files over 250 lines; only files over twice that length fail.
  'max-lines': ['error', { max: 500 }],
  'no-array-constructor': 'error',
  'no-case-declarations': 'error',
  'no-console': 'error',
  'no-empty': 'error',
  'no-fallthrough': 'error',
  'no-prototype-builtins': 'error',
  'no-regex-spaces': 'error',
  'no-unexpected-multiline': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
  'no-var': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'preserve-caught-error': 'error',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
};
const RULES_OF_TYPESCRIPT: Rules = {
  'typescript/ban-ts-comment': 'error',
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
  'typescript/no-dynamic-delete': 'error',
  'typescript/no-empty-object-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-extraneous-class': 'error',
  'typescript/no-invalid-void-type': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-namespace': 'error',
  'typescript/no-non-null-asserted-nullish-coalescing': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-useless-constructor': 'error',
  'typescript/only-throw-error': 'error',
  'typescript/prefer-literal-enum-member': 'error',
  'typescript/prefer-promise-reject-errors': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  'typescript/unified-signatures': 'error',
  // Resolvers and cursors are called on objects whose methods do not use `this`.
  'typescript/unbound-method': 'off',
  'typescript/no-misused-spread': ['error', { allow: ['string'] }],
  ...doors(),
};

export default defineConfig({
  plugins: ['typescript', 'oxc'],
  jsPlugins: [{ name: 'eslint-js', specifier: 'oxlint-plugin-eslint' }],
  categories: { correctness: 'error' },
  options: { typeAware: true },
  env: { builtin: true, node: true },
  ignorePatterns: ['docs/', 'packages/sdk-node/dist/', '.data/', 'coverage/', '**/*.generated.ts'],
  rules: RULES,
  overrides: [
    { files: ['**/*.ts'], rules: RULES_OF_TYPESCRIPT },
    {
      // Files that read rows.
      files: ['subgraphs/**/*.{table,query,step}.ts'],
      rules: doors({ further: [{ selector: 'TSPropertySignature[key.name=/_/]', message: ROW }] }),
    },
    // Processes of this service call one another, and clients call the service.
    {
      files: [
        'platform/{outbound,transports}/**',
        'start/health/readiness.ts',
        '{bench,cli,demo,packages}/**',
        'platform/database/**',
      ],
      rules: doors({ open: ['outbound'] }),
    },
    { files: ['platform/database/transaction.ts'], rules: doors({ open: ['statements', 'outbound'] }) },
    { files: ['platform/clock.ts'], rules: doors({ open: ['clock'] }) },
    { files: ['platform/random.ts'], rules: doors({ open: ['random'] }) },
    // Packages depend on nothing outside, so they have their own access modules.
    { files: ['packages/*/clock.ts'], rules: doors({ open: ['clock'] }) },
    { files: ['packages/*/random.ts'], rules: doors({ open: ['random'] }) },
    { files: ['packages/*/runtime.ts'], rules: doors({ open: ['environment'] }) },
    { files: ['platform/config.ts'], rules: doors({ open: ['environment'] }) },
    // The users' command line runs without the service: this file reads the location of its key and the overrides.
    { files: ['cli/books/environment.ts'], rules: doors({ open: ['environment'] }) },
    { files: ['kernel/money.ts'], rules: doors({ open: ['money'] }) },
    { files: ['subgraphs/revenue/stripe/**'], rules: doors({ open: ['processor'] }) },
    { files: ['subgraphs/alerting/deliveries/send-mail.step.ts'], rules: doors({ open: ['mail'] }) },
    { files: ['cli/admin/**', 'bench/**', 'demo/**', 'start/**', 'tools/**'], rules: { 'no-console': 'off' } },
    {
      // Migrations are generated and run once; configuration must export a default.
      files: [
        '**/migrations/*.ts',
        'oxlint.config.ts',
        'vitest.config.ts',
        'vitest.*.config.ts',
        'playwright.config.ts',
      ],
      rules: { 'max-lines': 'off', 'eslint-js/no-restricted-syntax': 'off' },
    },
    {
      // Tests measure time, use randomness, and talk to the outside world in its own formats.
      files: ['test/**/*.ts'],
      rules: {
        ...doors({
          open: [
            'clock',
            'random',
            'durations',
            'environment',
            'money',
            'processor',
            'outbound',
            'mail',
            'defaultExport',
          ],
        }),
        'max-lines': 'off',
        'no-console': 'off',
        // Responses of the outside world are inspected untyped.
        'typescript/no-explicit-any': 'off',
        'typescript/no-base-to-string': 'off',
        'typescript/require-array-sort-compare': 'off',
        'typescript/no-unnecessary-type-assertion': 'off',
        'typescript/restrict-template-expressions': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/no-unsafe-call': 'off',
      },
    },
    {
      // The pages' own scripts run in a browser.
      files: ['dashboard/**/*.js'],
      env: { browser: true },
    },
    {
      files: ['*.cjs'],
      env: { commonjs: true },
    },
  ],
});
