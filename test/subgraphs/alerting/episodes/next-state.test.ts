import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type GroupState,
  type Judgement,
  nextState,
  type Transition,
} from '../../../../subgraphs/alerting/episodes/next-state.ts';

const PARAMETERS = { floor: '5' };

/** The database rows of one group, and its deliveries. */
interface World {
  readonly state: GroupState | null;
  readonly episodes: readonly { readonly isOpen: boolean; readonly level: number | null; readonly isSeen: boolean }[];
  readonly delivered: readonly string[];
  readonly isMuted: boolean;
}

type Action =
  | { readonly kind: 'evaluate'; readonly judgement: Judgement }
  | { readonly kind: 'mute'; readonly isMuted: boolean }
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'restart' };

const EMPTY: World = { state: null, episodes: [], delivered: [], isMuted: false };

/** As written by `apply-judgements.step.ts`. */
function act(world: World, action: Action): World {
  if (action.kind === 'mute') return { ...world, isMuted: action.isMuted };
  if (action.kind === 'restart') return JSON.parse(JSON.stringify(world)) as World;
  if (action.kind === 'acknowledge')
    return { ...world, episodes: world.episodes.map((one) => (one.isOpen ? { ...one, isSeen: true } : one)) };
  const isOpen = world.episodes.some((episode) => episode.isOpen);
  const { state, transition } = nextState(PARAMETERS, isOpen, action.judgement);
  return {
    ...world,
    state,
    episodes: episodesAfter(world.episodes, transition),
    delivered: transition && !world.isMuted ? [...world.delivered, transition.kind] : world.delivered,
  };
}

function episodesAfter(episodes: World['episodes'], transition: Transition | null): World['episodes'] {
  if (transition?.kind === 'opened') return [...episodes, { isOpen: true, level: transition.level, isSeen: false }];
  return episodes.map((one) => {
    if (!one.isOpen || transition === null) return one;
    return transition.kind === 'closed' ? { ...one, isOpen: false } : { ...one, level: transition.level };
  });
}

const judgement: fc.Arbitrary<Judgement> = fc.record({
  state: fc.constantFrom('OK', 'LEARNING', 'PENDING', 'FIRING'),
  memory: fc.record({ through: fc.integer() }),
  end: fc.constantFrom(null, 'RECOVERED', 'ACCEPTED', 'NOT_APPLICABLE', 'PERIOD_ENDED'),
  judgedThrough: fc.constantFrom(null, '2026-11-01T00:00:00.000Z'),
  level: fc.constantFrom(null, 50, 80, 100),
  news: fc.constantFrom(null, 0, 50, 80, 100),
});
const evaluation = judgement.map((one): Action => ({ kind: 'evaluate', judgement: one }));
const otherAction = fc.constantFrom<Action>(
  { kind: 'mute', isMuted: true },
  { kind: 'mute', isMuted: false },
  { kind: 'acknowledge' },
);
const actions = fc.array(fc.oneof({ weight: 3, arbitrary: evaluation }, otherAction), { maxLength: 40 });

const run = (all: readonly Action[], from = EMPTY) => all.reduce(act, from);

it('a group has one open episode while it fires, and none otherwise', () => {
  fc.assert(
    fc.property(actions, (all) => {
      let world = EMPTY;
      for (const action of all) {
        world = act(world, action);
        const open = world.episodes.filter(({ isOpen }) => isOpen).length;
        expect(open).toBe(world.state?.state === 'firing' ? 1 : 0);
      }
    }),
  );
});

it('only transitions are delivered: first the opening, then levels, and last the closing', () => {
  fc.assert(
    fc.property(fc.array(evaluation, { maxLength: 40 }), (all) => {
      expect(run(all).delivered.join(' ')).toMatch(/^(opened( level)*( closed( |$)|$))*$/);
    }),
  );
});

it('a restart at any step changes no result', () => {
  fc.assert(
    fc.property(actions, fc.nat(40), (all, at) => {
      const restarted = [...all.slice(0, at), { kind: 'restart' } as const, ...all.slice(at)];
      expect(run(restarted)).toEqual(run(all));
    }),
  );
});

it('the same evaluation again changes nothing', () => {
  fc.assert(
    fc.property(actions, judgement, (all, one) => {
      const calm = { ...one, news: null };
      const once = act(run(all), { kind: 'evaluate', judgement: calm });
      expect(act(once, { kind: 'evaluate', judgement: calm })).toEqual(once);
    }),
  );
});

it('muting and acknowledging commute with evaluation: they change what is delivered and shown, never what is found', () => {
  fc.assert(
    fc.property(actions, otherAction, judgement, (all, other, one) => {
      const found = ({ state, episodes }: World) => ({
        state,
        episodes: episodes.map(({ isOpen, level }) => ({ isOpen, level })),
      });
      const evaluate: Action = { kind: 'evaluate', judgement: one };
      const before = run(all);
      expect(found(run([other, evaluate], before))).toEqual(found(run([evaluate, other], before)));
      expect(found(run(all))).toEqual(found(run(all.filter(({ kind }) => kind === 'evaluate'))));
    }),
  );
});
