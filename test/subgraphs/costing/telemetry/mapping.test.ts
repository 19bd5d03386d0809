/** An organization's attribute mapping is stored field by field. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getTelemetryMapping } from '../../../../subgraphs/costing/telemetry/get-telemetry-mapping.operation.ts';
import { setTelemetryMapping } from '../../../../subgraphs/costing/telemetry/set-telemetry-mapping.operation.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

it.each([
  ['endUser', ['of.user', 'user']],
  ['agent', ['of.agent']],
  ['session', ['of.session']],
  ['bookedCosts', ['litellm']],
  ['dimensions', [{ dimension: 'team', attributes: ['of.team'] }]],
])('a change of %s keeps the others, at first and later', async (field, value) => {
  const before = await getTelemetryMapping(costing.operator);
  await setTelemetryMapping(costing.operator, { [field]: [] });
  expect(await getTelemetryMapping(costing.operator)).toEqual({ ...before, [field]: [] });
  await setTelemetryMapping(costing.operator, { [field]: value });
  expect(await getTelemetryMapping(costing.operator)).toEqual({ ...before, [field]: value });
  expect(await getTelemetryMapping(costing.stranger)).not.toMatchObject({ [field]: value });
});
