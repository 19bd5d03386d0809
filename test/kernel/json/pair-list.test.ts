import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PairList } from '#kernel/json/pair-list.ts';

it('a list of pairs keeps their order, even across segments', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20_000, max: 20_000 }), { maxLength: 8 }), (changes) => {
      const list = new PairList();
      const model: number[] = [];
      for (const change of changes) {
        for (let count = 0; count < change; count++) {
          list.push(model.length, -model.length);
          model.push(model.length, -model.length);
        }
        for (let count = 0; count > change && model.length > 0; count--) {
          list.pop();
          model.length -= 2;
        }
        expect(list.lastFirst()).toBe(model.at(-2));
        for (const index of [0, 1, 16_383, 16_384, model.length - 1, model.length])
          expect(list.at(Math.max(index, 0))).toBe(model[Math.max(index, 0)]);
      }
    }),
    { numRuns: 20 },
  );
});
