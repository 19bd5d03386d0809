import { expect, it } from 'vitest';
import { openWith, withOpening } from '../../../../platform/database/connections/opening.ts';

const SETTINGS = "set local app.organization_id = 'a'";

it('the first statement of a transaction carries its settings, once', async () => {
  const sent = await openWith(SETTINGS, async (opened) => {
    const begun = await Promise.all(['select 1', 'begin'].map(async (text) => withOpening(text)));
    opened();
    return [...begun, withOpening('begin')];
  });
  expect([...sent, withOpening('begin')]).toEqual(['select 1', `begin; ${SETTINGS}`, 'begin', 'begin']);
});

it('transactions that begin at once carry their own', async () => {
  const begin = (settings: string) =>
    openWith(settings, async (opened) => {
      await Promise.resolve();
      const sent = withOpening('begin');
      opened();
      return sent;
    });
  expect(await Promise.all(['a', 'b'].map(begin))).toEqual(['begin; a', 'begin; b']);
});

it('nothing is done in a transaction that has begun without its settings', async () => {
  let isDone = false;
  const begun = openWith(SETTINGS, async (opened) => {
    withOpening('begin isolation level serializable');
    opened();
    isDone = true;
  });
  await expect(begun).rejects.toThrow('A transaction has begun without its settings');
  expect(isDone).toBe(false);
});
