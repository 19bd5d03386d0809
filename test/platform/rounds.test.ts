import { describe, expect, it } from 'vitest';
import { rounds } from '#platform/rounds.ts';

/** Serves letters in rounds of at most three, and answers when told to. */
function letters({ atOnce = 1, waitingMax = 100 } = {}) {
  const served: { readonly items: readonly string[]; end(error?: Error): void }[] = [];
  const ask = rounds<string, string>({
    atOnce,
    waitingMax,
    fitting: (waiting) => Math.min(waiting.length, 3),
    serve: (items) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(items.map((item) => item.toUpperCase()));
        served.push({ items, end: (error) => (error ? reject(error) : answer()) });
      }),
  });
  return { ask, served, rounds: () => served.map(({ items }) => items.join('')) };
}

describe('requests in rounds', () => {
  it('are served at once, and those that arrive during a round share the next one', async () => {
    const { ask, served, rounds } = letters();
    const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map((letter) => ask('key', letter)));
    expect(rounds()).toEqual(['a']);
    served[0]!.end();
    await expect.poll(rounds).toEqual(['a', 'bcd']);
    served[1]!.end();
    await expect.poll(rounds).toEqual(['a', 'bcd', 'e']);
    served[2]!.end();
    expect(await answers).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('requests of different keys do not wait for each other, and one key has several rounds at a time, up to the maximum', () => {
    const { ask, rounds } = letters({ atOnce: 2 });
    void [ask('one', 'a'), ask('one', 'b'), ask('one', 'c'), ask('two', 'd')];
    expect(rounds()).toEqual(['a', 'b', 'd']);
  });

  it('fail together, and the next round is served', async () => {
    const { ask, served, rounds } = letters();
    const first = ask('key', 'a');
    const others = [ask('key', 'b'), ask('key', 'c')];
    served[0]!.end(new Error('unavailable'));
    await expect(first).rejects.toThrow('unavailable');
    await expect.poll(rounds).toEqual(['a', 'bc']);
    served[1]!.end();
    expect(await Promise.all(others)).toEqual(['B', 'C']);
  });

  it('are served alone if too many wait', () => {
    const { ask, rounds } = letters({ waitingMax: 1 });
    void [ask('key', 'a'), ask('key', 'b'), ask('key', 'c')];
    expect(rounds()).toEqual(['a', 'c']);
  });
});
