import { expect, it } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import { REMEMBERED_EXPLANATIONS_MAX } from '../../../../subgraphs/attribution/config.ts';
import { parseSelection } from '../../../../subgraphs/attribution/selections/cost-selection.ts';
import { rememberedExplanations } from '../../../../subgraphs/attribution/selections/remembered-explanation.step.ts';

const SUBJECT = {
  organizationId: 'one',
  window: parseWindow({ start: '2026-11-01', end: '2026-11-28' }),
  previous: parseWindow({ start: '2026-10-01', end: '2026-10-28' }),
  selection: parseSelection({}),
  total: { cost: 3n, previousCost: 1n, difference: 2n, eventCount: 2, previousEventCount: 1 },
};

it('an explanation is reused for the same change only', async () => {
  let explained = 0;
  const remembered = rememberedExplanations<number>();
  const of = (subject: Partial<typeof SUBJECT>) =>
    remembered({ ...SUBJECT, ...subject }, async () => {
      explained += 1;
      return explained;
    });
  expect(await of({})).toBe(1);
  expect(await of({})).toBe(1);
  expect(await of({ organizationId: 'other' })).toBe(2);
  expect(await of({ selection: parseSelection({ filter: { model: 'gpt-5' } }) })).toBe(3);
  expect(await of({ window: SUBJECT.previous })).toBe(4);
  // A late event of the window.
  expect(await of({ total: { ...SUBJECT.total, cost: 4n, difference: 3n, eventCount: 3 } })).toBe(5);
  // Compared with another window of the same costs.
  expect(await of({ previous: parseWindow({ start: '2026-09-01', end: '2026-09-28' }) })).toBe(6);
  expect(await of({})).toBe(1);
});

it('the oldest explanations are forgotten when there are too many', async () => {
  const remembered = rememberedExplanations<string>();
  const of = (organizationId: string, explanation: string) =>
    remembered({ ...SUBJECT, organizationId }, async () => explanation);
  await of('first', 'before');
  for (let index = 0; index < REMEMBERED_EXPLANATIONS_MAX; index++) await of(`organization ${index}`, 'before');
  expect(await of(`organization ${REMEMBERED_EXPLANATIONS_MAX - 1}`, 'after')).toBe('before');
  expect(await of('first', 'after')).toBe('after');
});

it('a failed explanation is not remembered', async () => {
  const remembered = rememberedExplanations<string>();
  await expect(remembered(SUBJECT, () => Promise.reject(new Error('too slow')))).rejects.toThrow('too slow');
  expect(await remembered(SUBJECT, async () => 'explained')).toBe('explained');
});
