/**
 * Modules that a service loads before the first request: each library costs startup time and memory in every process.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const root = fileURLToPath(new URL('../..', import.meta.url));

/** For a loaded module and its imports: the packages, and the folders of this repository. */
function loadedBy(module: string, ...args: string[]): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, load) => {
      loaded.add(url.match(/.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/)?.[1] ?? url.slice(${new URL('../..', import.meta.url).href.length}).split('/').slice(0, 2).join('/'));
      return load(url, context);
    } });
    process.on('exit', () => console.log(JSON.stringify([...loaded])));
    process.argv.splice(1, 0, 'script');
    await import('./${module}');`;
  // Modules that start a process end because settings are missing, but only after everything is loaded.
  const { stdout } = spawnSync('node', ['--input-type=module', '-e', script, ...args], { cwd: root, encoding: 'utf8' });
  return JSON.parse(stdout) as string[];
}

/** Each is loaded by the first request that needs it. */
const LATER = [
  'stripe',
  'hyparquet-writer',
  'nodemailer',
  'ioredis',
  'protobufjs',
  '@simplewebauthn/server',
  '@modelcontextprotocol/server',
  '@pydantic/genai-prices',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/context-async-hooks',
];

/** Parts of libraries that are never reached. */
const NEVER = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

test('an idle service has loaded no library that only some requests need', () => {
  const loaded = loadedBy('start/start-service.ts');
  expect(loaded).toContain('@apollo/gateway');
  expect(loaded.filter((name) => [...LATER, ...NEVER].includes(name))).toEqual([]);
});

test.each(['subgraph', 'jobs'])('%s of one subgraph loads neither other subgraphs nor a gateway', (part) => {
  const loaded = loadedBy(`start/${part}.ts`, 'revenue');
  expect(loaded.filter((name) => name.startsWith('subgraphs/'))).toEqual(['subgraphs/revenue']);
  expect(loaded.filter((name) => /^(?:gateway|dashboard)\/|^@apollo\/(?:gateway|server)$/.test(name))).toEqual([]);
});

test.each(['gateway', 'rest-adapter'])('%s loads no database code', (part) => {
  const loaded = loadedBy(`start/${part}.ts`);
  expect(loaded).toContain('fastify');
  expect(loaded.filter((name) => /^subgraphs\/|^@mikro-orm|^kysely/.test(name))).toEqual([]);
});
