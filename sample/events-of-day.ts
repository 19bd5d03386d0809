/** All events that the imaginary product sent on a day. The same day always has the same events. */
import { HOUR_MS } from '#kernel/time/duration.ts';
import { type EndUser, endUsers } from './end-users.ts';
import { callOfVariant, experimentOf } from './experiment-of.ts';
import { type Feature, features } from './features.ts';
import { incidentsOfDay } from './incidents.ts';
import { type Random, seededRandom } from './seeded-random.ts';
import { type Span, type UsageEvent, usageEvent } from './usage-event.ts';

/** Yields some 25,000 events in 90 days. */
const INTERACTIONS_A_DAY = 185;
const WEEKEND = 0.35;
/** Relative activity per hour, UTC. */
const HOURS = [2, 1, 1, 1, 2, 3, 6, 11, 16, 19, 18, 15, 13, 16, 19, 20, 18, 15, 12, 9, 7, 6, 4, 3];
const DAYS_OF_GROWTH = 90;

/**
 * `date`: UTC, YYYY-MM-DD. `day`: days since the first of the 90; the product grows threefold over them. `share`:
 * fraction of the usual interactions; incidents are always included in full.
 */
export function eventsOfDay(date: string, day: number, share = 1): UsageEvent[] {
  const random = seededRandom(`northwind ${date}`);
  const midnight = new Date(`${date}T00:00:00Z`);
  const growth = 0.5 + Math.min(Math.max(day / DAYS_OF_GROWTH, 0), 1.2);
  const weekday = [0, 6].includes(midnight.getUTCDay()) ? WEEKEND : 1;
  const interactions = Math.round(INTERACTIONS_A_DAY * share * growth * weekday * (0.9 + 0.2 * random.next()));
  const usual = Array.from({ length: interactions }, (_, index) =>
    eventsOf(interaction(`demo-${date}-${index}`, midnight, day, random), midnight, day, random),
  );
  const own = seededRandom(`northwind incidents ${date}`);
  const incidents = incidentsOfDay(day, weekday).map(({ name, after, ...incident }, index) =>
    eventsOf(
      { key: `demo-${date}-${name}-${index}`, ...incident, start: midnight.getTime() + after },
      midnight,
      day,
      own,
    ),
  );
  return [...usual, ...incidents].flat();
}

interface Interaction {
  readonly key: string;
  readonly feature: Feature;
  readonly endUser: EndUser | null;
  /** Milliseconds since 1970. */
  readonly start: number;
}

function interaction(key: string, midnight: Date, day: number, random: Random): Interaction {
  const feature = random.pick(features, ({ weight }) => weight);
  const known = endUsers.filter(({ joinedDay }) => joinedDay <= day);
  const endUser = feature.hasEndUser ? random.pick(known, ({ appetite }) => appetite) : null;
  const hour = random.pick(
    HOURS.map((weight, at) => ({ weight, at })),
    ({ weight }) => weight,
  ).at;
  return { key, feature, endUser, start: midnight.getTime() + Math.floor((hour + random.next()) * HOUR_MS) };
}

function eventsOf(
  { key, feature, endUser, start }: Interaction,
  midnight: Date,
  day: number,
  random: Random,
): UsageEvent[] {
  return steps(key, feature, random).map(({ span, call, after }, index) => {
    const experiment = experimentOf(feature, endUser, day);
    const at = new Date(Math.min(start + after, midnight.getTime() + 24 * HOUR_MS - 1));
    return usageEvent(
      {
        key: `${key}-${index}`,
        at,
        feature,
        call: callOfVariant(feature, experiment) ?? call,
        endUser,
        experiment,
        span,
      },
      random,
    );
  });
}

interface Step {
  readonly span: Span | null;
  readonly call: Feature['calls'][number];
  /** Milliseconds after the interaction's first event. */
  readonly after: number;
}

function steps(key: string, feature: Feature, random: Random): Step[] {
  const pick = () => random.pick(feature.calls, ({ weight }) => weight);
  if (feature.shape === 'call') return [{ span: null, call: pick(), after: 0 }];
  if (feature.shape === 'conversation') {
    return Array.from({ length: 1 + random.below(3) }, (_, turn) => ({
      span: { session_id: key, session_type: 'conversation', span_id: `turn-${turn + 1}` },
      call: pick(),
      after: turn * 40_000,
    }));
  }
  return agentSteps(key, feature, random);
}

/** A plan, some searches below it, and a final draft that is also a child of the plan. */
function agentSteps(key: string, { calls }: Feature, random: Random): Step[] {
  const [plan, search, draft] = calls;
  const session = { session_id: key, session_type: 'research' };
  const searches = 2 + random.below(4);
  return [
    { span: { ...session, span_id: 'plan' }, call: plan!, after: 0 },
    ...Array.from({ length: searches }, (_, index) => ({
      span: { ...session, span_id: `search-${index + 1}`, parent_span_id: 'plan' },
      call: search!,
      after: (index + 1) * 6_000,
    })),
    { span: { ...session, span_id: 'draft', parent_span_id: 'plan' }, call: draft!, after: (searches + 2) * 6_000 },
  ];
}
