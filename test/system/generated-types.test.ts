/**
 * Well-known generators create types from the OpenAPI document that compile under strict settings and match the
 * responses.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { generate } from 'orval';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type StrictProject, strictProject } from '../support/compile-strictly.ts';
import { projectPath } from '../support/project-files.ts';
import { MINUTES } from '../support/patience.ts';

// Generates and compiles the types of a whole API.
vi.setConfig(MINUTES);

const DOCUMENT = projectPath('schema/openapi.json');

let project: StrictProject;
beforeEach(() => {
  project = strictProject();
});
afterEach(() => project.remove());

/** Uses the types: each line compiles only if they match the contract. */
const USES = `
  export const total: string = costs.total_cost;
  export const reasoning: number | null = costs.models[0]!.reasoning_tokens;
  export const metadata: object | undefined = event.metadata;
  export const environment: 'live' | 'test' = caller.environment;
  export const category: 'profitable' | 'break-even' | 'unprofitable' = margin.end_users[0]!.profitability_category;
  // @ts-expect-error -- money is a string
  export const wrong: number = costs.total_cost;
  // @ts-expect-error -- no such field
  export const missing = event.colour;
`;

async function compile(tour: string): Promise<void> {
  project.write('tour.ts', tour + USES);
  expect(await project.compile(['tour.ts'])).toBe('');
}

test('openapi-typescript', async () => {
  const nodes = await openapiTypescript(JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenAPI3);
  project.write('schema.ts', astToString(nodes));
  await compile(`
    import type { components, paths } from './schema.ts';
    declare const costs: paths['/cost-data/by-model']['get']['responses'][200]['content']['application/json'];
    declare const event: components['schemas']['UsageEvent'];
    declare const caller: components['schemas']['Caller'];
    declare const margin: components['schemas']['Margin'];
  `);
});

test('@hey-api/openapi-ts', async () => {
  await createClient({
    input: DOCUMENT,
    output: { path: project.folder, module: { extension: '.ts' }, tsConfigPath: null },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript'],
  });
  await compile(`
    import type { Caller, GetCostByModelResponse, Margin, UsageEvent } from './types.gen.ts';
    declare const costs: GetCostByModelResponse;
    declare const event: UsageEvent;
    declare const caller: Caller;
    declare const margin: Margin;
  `);
});

test('orval', async () => {
  await generate(
    {
      input: { target: DOCUMENT },
      output: {
        target: join(project.folder, 'client.ts'),
        client: 'fetch',
        mode: 'single',
        override: { fetch: { includeHttpResponseReturnType: false } },
      },
    },
    project.folder,
  );
  await compile(`
    import { getCostByModel, type Caller, type Margin, type UsageEvent } from './client.ts';
    declare const costs: Awaited<ReturnType<typeof getCostByModel>>;
    declare const event: UsageEvent;
    declare const caller: Caller;
    declare const margin: Margin;
  `);
});
