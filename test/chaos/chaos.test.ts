/** The short form of `npm run test:chaos`: a few rounds of each shape, the same ones at every run. */
import { expect, it } from 'vitest';
import { runChaos } from './run-chaos.ts';

it.concurrent.each([
  { shape: 'one-process', seed: 6, rounds: 2 },
  { shape: 'embedded', seed: 3, rounds: 2 },
  { shape: 'split', seed: 6, rounds: 2 },
] as const)(
  '$shape: after every round of faults each acknowledged event, credit and cost is there once',
  async ({ shape, seed, rounds }) => {
    const said: string[] = [];
    const { findings, events } = await runChaos({
      shape,
      rounds,
      seed,
      verifyEvery: rounds,
      progress: (message) => said.push(message),
    });
    expect(findings, said.join('\n')).toEqual([]);
    expect(events).toBeGreaterThan(0);
  },
  300_000,
);
