/**
 * The package as users get it: packed, installed into an empty directory, compiled in strict mode, and run with the
 * installed Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packSdk } from '../../support/pack-sdk.ts';
import { projectPath } from '../../support/project-files.ts';
import { MINUTES } from '../../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

const folder = mkdtempSync(join(tmpdir(), 'books-package-'));
let tarball: string;

beforeAll(() => {
  tarball = packSdk(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","version":"1.0.0","type":"module"}');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

test('the package contains its code, types, licence and README, and depends on nothing', () => {
  const installed = join(folder, 'node_modules/ai-product-books-sdk');
  expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'ai-product-books-sdk',
  ]);
  const files = readdirSync(join(installed, 'dist'));
  expect(files.filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual([]);
});

const PROGRAM = `
import { createBooks, type Books, type UsageEvent } from 'ai-product-books-sdk';
import { booksMiddleware } from 'ai-product-books-sdk/ai-sdk';
import { booksCallback } from 'ai-product-books-sdk/langchain';

const books: Books = createBooks({ url: 'http://127.0.0.1:9', apiKey: 'none', onError: () => {} });
const event: UsageEvent | null = books.track({ id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1, completion_tokens: 2 } });
const answer: Promise<Response> = books.fetch('http://127.0.0.1:9/', { method: 'POST' }).catch(() => new Response());
const seven: number = books.with({ userId: 'u', dimensions: { team: 'a' } }, () => 7);
export { answer, booksCallback, booksMiddleware, event, seven };
`;

/** Types of the browser or of Node: a consumer has one of them. */
test.each([
  ['the types of a browser', { lib: ['es2023', 'dom', 'dom.iterable'], types: [] }],
  ['the types of Node', { lib: ['es2023'], types: ['node'] }],
])('it compiles strictly with %s', (_, more) => {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    rmSync(join(folder, 'node_modules', name), { force: true });
    symlinkSync(projectPath(`node_modules/${name}`), join(folder, 'node_modules', name));
  }
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2022',
    noEmit: true,
    ...more,
  };
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  expect(run(process.execPath, projectPath('node_modules/typescript-7/bin/tsc'))).toBe('');
});

test('the types of the package fit the AI SDK, LangChain and the clients', () => {
  for (const name of [
    'ai',
    '@ai-sdk',
    '@langchain',
    'openai',
    '@anthropic-ai',
    'zod',
    'eventsource-parser',
    '@opentelemetry',
    '@standard-schema',
    'json-schema',
  ]) {
    rmSync(join(folder, 'node_modules', name), { force: true });
    try {
      symlinkSync(projectPath(`node_modules/${name}`), join(folder, 'node_modules', name));
    } catch {
      // Not every version needs all of them.
    }
  }
  writeFileSync(
    join(folder, 'clients.ts'),
    `
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { createBooks } from 'ai-product-books-sdk';
import { booksMiddleware } from 'ai-product-books-sdk/ai-sdk';
import { booksCallback } from 'ai-product-books-sdk/langchain';
const books = createBooks();
export const all = [
  new OpenAI({ fetch: books.fetch }),
  new Anthropic({ fetch: books.fetch }),
  wrapLanguageModel({ model: createOpenAI({ fetch: books.fetch })('gpt-4o'), middleware: booksMiddleware(books) }),
  new ChatOpenAI({ callbacks: [booksCallback(books)], configuration: { fetch: books.fetch } }),
];
`,
  );
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: ['node'],
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['clients.ts'] }));
  expect(run(process.execPath, projectPath('node_modules/typescript-7/bin/tsc'))).toBe('');
});

test('the package runs on the Node of this machine and on the bundled one', () => {
  writeFileSync(
    join(folder, 'run.js'),
    `import { createBooks } from 'ai-product-books-sdk';
const books = createBooks({ apiKey: 'none', onError: () => {} });
const event = books.with({ userId: 'u' }, () => books.track({ id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1, completion_tokens: 2 } }));
console.log(event.idempotency_key, event.user_id);
await books.close(0);`,
  );
  for (const node of [process.execPath, '/usr/bin/env']) {
    const args = node === '/usr/bin/env' ? ['node', 'run.js'] : ['run.js'];
    expect(run(node, ...args)).toBe('openai:chatcmpl-1 u\n');
  }
});

test('the package loads without files and processes, as in a worker', () => {
  writeFileSync(
    join(folder, 'bare.js'),
    `const kept = globalThis.process;
delete globalThis.process;
const { createBooks } = await import('ai-product-books-sdk');
const books = createBooks({ apiKey: 'none', url: 'http://127.0.0.1:9', onError: () => {} });
const event = books.with({ userId: 'lost' }, () => books.track({ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', usage: { input_tokens: 1, output_tokens: 2 } }, { userId: 'u' }));
globalThis.process = kept;
console.log(event.idempotency_key, event.user_id);`,
  );
  expect(run(process.execPath, 'bare.js')).toBe('anthropic:msg_1 u\n');
});
