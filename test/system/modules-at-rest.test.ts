/** What a service loads before anything is asked of it: each library costs every start its time and every process its memory. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Prints the packages that the service's modules come from. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({ load: (url, context, load) => {
    packages.add(url.match(/.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/)?.[1]);
    return load(url, context);
  } });
  await import('./start/start-service.ts');
  console.log(JSON.stringify([...packages].filter(Boolean)));`;

/** Each is loaded by the first request that needs it. */
const LATER = [
  'stripe',
  'nodemailer',
  'ioredis',
  'protobufjs',
  '@simplewebauthn/server',
  '@modelcontextprotocol/server',
  '@pydantic/genai-prices',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/resources',
];

test('a service at rest has loaded no library that only some requests need', () => {
  const printed = execFileSync('node', ['--input-type=module', '-e', SCRIPT], { cwd: root, encoding: 'utf8' });
  const packages = JSON.parse(printed) as string[];
  expect(packages).toContain('@apollo/gateway');
  expect(packages.filter((name) => LATER.includes(name))).toEqual([]);
});
