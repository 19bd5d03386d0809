/** Claims due jobs from the queue: enough to be worth a transaction, within its limits. Organizations take turns. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
import {
  PRICING_BYTES_MAX,
  PRICING_EVENTS_MAX,
  PRICING_EVENTS_MIN,
  PRICING_JOBS_MAX,
  PRICING_ORGANIZATIONS_MAX,
} from '../config.ts';
import type { Turn } from './due-organizations.query.ts';
import { type ClaimedJob, IS_DUE, JOB_COLUMNS, type JobRow, toClaimedJob } from './pricing-job.table.ts';

/** Limits of one transaction. The first job is claimed regardless of its size. */
export interface ClaimBounds {
  /** Maximum number of jobs that the first step claims, all of one organization. */
  readonly jobsMax: number;
  readonly eventsMax: number;
  readonly bytesMax: number;
  /** 1: every statement of the transaction concerns one organization. */
  readonly organizationsMax: number;
}

export const CLAIM_BOUNDS: ClaimBounds = {
  jobsMax: PRICING_JOBS_MAX,
  eventsMax: PRICING_EVENTS_MAX,
  bytesMax: PRICING_BYTES_MAX,
  organizationsMax: PRICING_ORGANIZATIONS_MAX,
};

/**
 * Claims jobs of the next organization in turn. If its queue is short, claims jobs of the organizations after it as
 * well, up to one with a long queue: a transaction costs the same for five events as for five hundred. An organization
 * with a long queue has transactions of its own, so that no other one waits for its events to be priced. A job marked
 * `alone` is claimed by itself. If organizations are distributed over several nodes, claims jobs of only one
 * organization in `due`.
 */
export async function claimPricingJobs(
  tx: WriteTransaction,
  turn: Turn,
  bounds: ClaimBounds,
  due: readonly string[] | null = null,
): Promise<ClaimedJob[]> {
  const { jobs, hasOthers } =
    due === null ? await claim(tx, CLAIM_OF_NEXT, turn.organizationId, bounds) : await claimOfOne(tx, due, bounds);
  const [first] = jobs;
  if (!first) return [];
  turn.organizationId = first.organizationId;
  if (first.alone) return jobs;
  while (jobs.length >= bounds.jobsMax && eventsIn(jobs) < PRICING_EVENTS_MIN) {
    const more = await claimMore(tx, first.organizationId, jobs, bounds);
    if (more.length === 0) break;
    jobs.push(...more);
  }
  if (!hasOthers || bounds.organizationsMax <= 1 || eventsIn(jobs) >= PRICING_EVENTS_MIN) return jobs;
  const others = await claimOfOthers(tx, first.organizationId, left(jobs, bounds));
  turn.organizationId = others.reduce(
    (last, { organizationId }) => (organizationId > last ? organizationId : last),
    turn.organizationId,
  );
  return [...jobs, ...others];
}

/**
 * Claims jobs of the first organization in `due` that still has due jobs. With several nodes, the claim then reads only
 * one of them.
 */
export async function claimOfOne(
  tx: WriteTransaction,
  due: readonly string[],
  bounds: ClaimBounds,
): Promise<{ jobs: ClaimedJob[]; hasOthers: boolean }> {
  for (const organizationId of due) {
    const claimed = await claim(tx, CLAIM_OF_ONE, organizationId, bounds);
    if (claimed.jobs.length > 0) return claimed;
  }
  return { jobs: [], hasOthers: false };
}

async function claim(
  tx: WriteTransaction,
  statement: Statement<ClaimInput, NextJobRow>,
  organizationId: OrganizationId,
  { jobsMax, eventsMax, bytesMax }: ClaimBounds,
): Promise<{ jobs: ClaimedJob[]; hasOthers: boolean }> {
  const rows = await tx.all(statement, { organizationId, jobsMax, eventsMax, bytesMax });
  return { jobs: rows.map(toClaimedJob), hasOthers: rows[0]?.hasOthers ?? false };
}

/** Claims more due jobs of the organization, except jobs marked `alone`. */
async function claimMore(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  held: readonly ClaimedJob[],
  bounds: ClaimBounds,
): Promise<ClaimedJob[]> {
  const { eventsMax, bytesMax } = left(held, bounds);
  const wanted = Math.ceil((eventsMax * held.length) / Math.max(eventsIn(held), 1));
  const rows = await tx.all(CLAIM_MORE, {
    organizationId,
    jobsMax: Math.min(wanted, bounds.eventsMax),
    eventsMax,
    bytesMax,
    held: held.map(({ id }) => id),
  });
  return rows.map(toClaimedJob);
}

/**
 * Due jobs of the organizations after the given one, up to one with a long queue: the first job of each before any
 * second job. None if the given organization has a long queue itself. Locks only the chosen jobs, and skips jobs that
 * others hold.
 */
async function claimOfOthers(tx: WriteTransaction, after: string, bounds: ClaimBounds): Promise<ClaimedJob[]> {
  const { jobsMax, eventsMax, bytesMax, organizationsMax } = bounds;
  if (eventsMax <= 0 || bytesMax < 0) return [];
  const rows = await tx.all(CLAIM_OF_OTHERS, {
    after,
    organizationsMax: organizationsMax - 1,
    jobsMax,
    eventsMax,
    bytesMax,
    shortEvents: PRICING_EVENTS_MIN,
  });
  return rows.map(toClaimedJob);
}

const MAY_BE_CLAIMED = `${IS_DUE} and not j.alone`;

/**
 * The first due jobs of an organization, including jobs that others hold, because the length of a queue counts
 * everything that is left to price.
 */
function firstJobs(organization: string): string {
  return `
      select organization_id, id, next_attempt_at, cardinality(event_ids) as events, bytes from pricing_job j
      where j.organization_id = ${organization} and ${MAY_BE_CLAIMED} order by j.next_attempt_at limit :jobsMax`;
}

interface OthersInput {
  readonly after: string;
  readonly organizationsMax: number;
  readonly jobsMax: number;
  readonly eventsMax: number;
  readonly bytesMax: number;
  /** A queue is short if its first jobs have fewer events than this. */
  readonly shortEvents: number;
}

const CLAIM_OF_OTHERS = statement<JobRow, OthersInput>(`
  with recursive organization as (
    (select organization_id, 1 as number from pricing_job j where organization_id > :after and ${MAY_BE_CLAIMED}
        and coalesce((select sum(events) from (${firstJobs(':after')}) as own), 0) < :shortEvents
      order by organization_id limit 1)
    union all
    select next.organization_id, organization.number + 1
    from organization cross join lateral (
      select organization_id from pricing_job j where j.organization_id > organization.organization_id and ${MAY_BE_CLAIMED}
      order by organization_id limit 1) next
    where organization.number < :organizationsMax
  ), due as (
    select j.*, row_number() over (partition by j.organization_id order by j.next_attempt_at, j.id) as turn,
      sum(events) over (partition by j.organization_id) as queued
    from organization cross join lateral (${firstJobs('organization.organization_id')}) j
  ), short as (
    select *, bool_or(queued >= :shortEvents) over (order by organization_id) as is_behind_long from due
  ), chosen as materialized (
    select organization_id, id from (
      select *, sum(events) over page as events_so_far, sum(bytes) over page as bytes_so_far
      from short where not is_behind_long window page as (order by turn, organization_id, id)) d
    where events_so_far <= :eventsMax and bytes_so_far <= :bytesMax
  )
  select ${JOB_COLUMNS} from chosen cross join lateral (
    select * from pricing_job j where j.organization_id = chosen.organization_id and j.id = chosen.id for update skip locked) j`);

/** Limits the rows of `jobs` to `:eventsMax` events and `:bytesMax` bytes, but keeps rows for which `anyway` is true. */
function within(jobs: string, anyway: string, more: string): string {
  return `
    select ${JOB_COLUMNS}, ${more} from (
      select *, row_number() over turn as number, sum(cardinality(event_ids)) over turn as events_so_far, sum(bytes) over turn as bytes_so_far
      from ${jobs} window turn as (order by next_attempt_at, id)) j
    where ${anyway} or (events_so_far <= :eventsMax and bytes_so_far <= :bytesMax) order by number`;
}

/** Claims jobs of the organization of the row `first` that satisfy `isItsOwn`. */
function claimOf(first: string, isItsOwn: string, hasOthers: string): string {
  return `
    with first as (${first}),
    due as (
      select j.* from pricing_job j join first f on ${isItsOwn}
      where ${IS_DUE} and case when f.alone then j.id = f.id else not j.alone end
      order by j.next_attempt_at limit :jobsMax for update of j skip locked)
    ${within('due', 'number = 1', `${hasOthers} as has_others`)}`;
}

/** The oldest due job of the first organization that satisfies `isWanted`. */
function firstOf(isWanted: string): string {
  return `
    select organization_id, id, alone from pricing_job j where ${isWanted} and ${IS_DUE}
    order by organization_id, next_attempt_at limit 1 for update skip locked`;
}

interface ClaimInput {
  readonly organizationId: OrganizationId;
  readonly jobsMax: number;
  readonly eventsMax: number;
  readonly bytesMax: number;
}

type NextJobRow = JobRow & { readonly hasOthers: boolean };

const CLAIM_MORE = statement<JobRow, ClaimInput & { held: readonly string[] }>(`
  with due as (
    select j.* from pricing_job j
    where j.organization_id = :organizationId and ${IS_DUE} and not j.alone and j.id <> all(:held::uuid[])
    order by j.next_attempt_at limit :jobsMax for update of j skip locked)
  ${within('due', 'false', 'null')}`);

/**
 * Due jobs of one organization, oldest first, skipping jobs that others hold; only one job if it is marked `alone`.
 * Takes the next organization after `:organizationId`, regardless of the length of other queues. After the last organization,
 * continues with the first, which is only searched for then.
 */
const CLAIM_OF_NEXT = statement<NextJobRow, ClaimInput>(
  claimOf(
    `select * from (${firstOf('organization_id > :organizationId')}) later union all select * from (${firstOf('organization_id <= :organizationId')}) earlier limit 1`,
    'j.organization_id = f.organization_id',
    'exists (select 1 from pricing_job o where o.organization_id > j.organization_id)',
  ),
);
const CLAIM_OF_ONE = statement<NextJobRow, ClaimInput>(
  claimOf(firstOf('organization_id = :organizationId'), 'j.organization_id = :organizationId', 'false'),
);

/** The bounds that remain after the claimed jobs. */
function left(jobs: readonly ClaimedJob[], bounds: ClaimBounds): ClaimBounds {
  return {
    ...bounds,
    eventsMax: bounds.eventsMax - eventsIn(jobs),
    bytesMax: bounds.bytesMax - jobs.reduce((total, { bytes }) => total + bytes, 0),
  };
}

/** The number of events of jobs. */
export function eventsIn(jobs: readonly ClaimedJob[]): number {
  return jobs.reduce((total, { eventIds }) => total + eventIds.length, 0);
}
