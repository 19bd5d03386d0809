/** The form at `/costs/fixed/entry`: previewing, saving, changing and ending a fixed cost, and permissions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '#kernel/time/utc-day.ts';
import { signedInMember } from '../../support/member.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/costs/fixed';
const ENTRY = `${PAGE}/entry`;
let service: RunningService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const from = addDays(new Date().toISOString().slice(0, 10), -4);
const until = addDays(from, 4);
const typed = {
  ...{ editing: '', key: 'gpu', name: 'GPU <cluster>', provider: 'CoreWeave', driver: 'TOKENS', unit: '' },
  ...{
    replacesModelCost: 'yes',
    capacityPerDay: '1000',
    models: 'gpt-4.1*, o3',
    endUsers: '',
    dimensions: 'feature=chat, feature=a=b',
  },
  ...{ weights: 'output=4, cache_read=0.1', shares: '' },
  ...{ amount0: '10', per0: 'HOUR', quantity0: '', from0: from, until0: until },
  ...{ amount1: '', per1: 'MONTH', quantity1: '', from1: '', until1: '' },
};
const list = async () =>
  (
    await operate(
      service,
      `{ fixedCosts { key name provider driver replacesModelCost capacityPerDay weights { class weight }
        scope { models endUsers dimensions { key values } } periods { from until amount per quantity } } }`,
    )
  ).fixedCosts;

it('the fixed costs page previews a fixed cost, saves it, and fills the form with it again', async () => {
  expect((await owner.get(PAGE)).html).toContain(`href="${ENTRY}"`);
  const page = await owner.get(ENTRY);
  const preview = await owner.answer(page, `${ENTRY}/preview`, typed);
  expect(preview.html).toContain('GPU &lt;cluster&gt;');
  // Nobody used the four days: 4 × 24 × $10 is idle.
  expect(preview.html).toMatch(/Idle[^]*<data value="960">\$960\.00<\/data>/);
  expect(await list()).toEqual([]);
  expect((await owner.answer(preview, ENTRY, typed)).location).toBe(`${PAGE}?done=fixed-cost-saved`);
  const saved = {
    ...{
      key: 'gpu',
      name: 'GPU <cluster>',
      provider: 'CoreWeave',
      driver: 'TOKENS',
      replacesModelCost: true,
      capacityPerDay: '1000',
    },
    weights: expect.arrayContaining([
      { class: 'output', weight: '4' },
      { class: 'cache_read', weight: '0.1' },
      { class: 'input', weight: '1' },
    ]),
    scope: { models: ['gpt-4.1*', 'o3'], endUsers: null, dimensions: [{ key: 'feature', values: ['chat', 'a=b'] }] },
    periods: [{ from, until, amount: '10', per: 'HOUR', quantity: '1' }],
  };
  expect(await list()).toEqual([saved]);
  expect((await owner.get(PAGE)).html).toContain(`href="${ENTRY}?key=gpu"`);
  const { html } = await owner.get(`${ENTRY}?key=gpu`);
  // The field lists the weight of every class: a class that is left out would get the weight of another class.
  expect(html).toMatch(/name="weights" value="[^"]*output=4[,"]/);
  expect(html).toContain('<option value="yes" selected>are replaced by this cost</option>');
  for (const [name, value] of [
    ['key', 'gpu'],
    ['models', 'gpt-4.1*, o3'],
    ['dimensions', 'feature=chat, feature=a=b'],
    ['from0', from],
    ['from1', ''],
  ])
    expect(html).toMatch(new RegExp(`name="${name}" value="${value?.replaceAll(/[*.]/g, '\\$&')}"`));
});

it('the fixed costs page adds a period, and ends the fixed cost', async () => {
  const page = await owner.get(`${ENTRY}?key=gpu`);
  const changed = { ...typed, editing: 'gpu', amount1: '12.5', per1: 'DAY', quantity1: '2', from1: until };
  await owner.answer(await owner.answer(page, `${ENTRY}/preview`, changed), ENTRY, changed);
  expect((await list())[0].periods).toEqual([
    { from, until, amount: '10', per: 'HOUR', quantity: '1' },
    { from: until, until: null, amount: '12.5', per: 'DAY', quantity: '2' },
  ]);
  const ended = await owner.answer(page, `${ENTRY}/end`, { key: 'gpu', until: addDays(until, 1) });
  expect(ended.location).toBe(`${PAGE}?done=fixed-cost-ended`);
  expect((await list())[0].periods[1].until).toBe(addDays(until, 1));
});

it('the fixed costs page warns before a new fixed cost replaces another one with the same key, and shows errors in the typed values', async () => {
  const page = await owner.get(ENTRY);
  expect((await owner.answer(page, `${ENTRY}/preview`, typed)).html).toContain(
    'A fixed cost with this key already exists',
  );
  const refused = await owner.answer(page, `${ENTRY}/preview`, { ...typed, driver: 'EQUAL' });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('weights are only for the driver TOKENS');
  expect(refused.html).toContain('value="GPU &lt;cluster&gt;"');
});

it('the fixed costs page lets members read, and change nothing', async () => {
  const member = await signedInMember(service);
  expect((await member.get(PAGE)).html).not.toContain(ENTRY);
  expect((await member.get(ENTRY)).html).toContain('Only owners and admins may change fixed costs');
});
