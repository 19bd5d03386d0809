/** `npm run test:quick`: tests of rules, which need no database, no service and no separate process. */
import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** Imports of tests that need more than their rule. A subgraph's builder opens a database. */
const NEEDS_MORE =
  /from '[^']*(?:support\/|builder|a-ledger|database|service|(?<!packages\/)history|server\.ts|child_process|node:http|fastify)/;

const rules = globSync('test/{kernel,schema,subgraphs,rest-adapter,dashboard,cli,demo}/**/*.test.ts').filter(
  (path) => !NEEDS_MORE.test(readFileSync(path, 'utf8')),
);

export default defineConfig({
  ...everything,
  test: { ...everything.test, include: rules, globalSetup: [] },
});
