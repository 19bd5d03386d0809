/**
 * Limits the bytes of bodies in progress, from the first byte to the response. Beyond the limit, a request is refused
 * before it is read.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { recordRefusal } from '#platform/metrics.ts';
import type { LatestVisits } from '#kernel/latest-visits.ts';
import { KnownError } from '#kernel/errors.ts';
import { whenClosed } from '../when-closed.ts';

export interface BodyLimits {
  /** Size as sent; the parser refuses larger bodies. */
  readonly bodyMax: number;
  readonly organizationMax: number;
  readonly totalMax: number;
  /** Maximum size of a batch of ordinary events: such a body never waits for earlier ones. */
  readonly ordinaryMax: number;
  /**
   * Rate of an organization for bytes beyond the ordinary. While others are active, a larger body waits until the last
   * one is paid off.
   */
  readonly bytesASecond: number;
}

/** Not part of the contract (decision 9, D6). */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * One batch of the maximum size per organization at a time, and one in four seconds while others are active; or many
 * small ones (decision 16).
 */
export const BODY_LIMITS: BodyLimits = {
  bodyMax: BODY_BYTES_MAX,
  organizationMax: BODY_BYTES_MAX,
  totalMax: 12 * BODY_BYTES_MAX,
  ordinaryMax: 128 * 1024,
  bytesASecond: 1024 * 1024,
};

const RETRY_SECONDS = 1;

/** Assumed size of a body without a declared length, until it has been read. */
const UNKNOWN_BYTES = 64 * 1024;

/** Once this many organizations have a debt, debts that are paid off are removed. */
const SWEEP_AT = 10_000;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Time after a response to an organization during which other organizations are throttled. */
const CONTENDED_MILLISECONDS = 10_000;

/** `announced` needs the principal, `received` the body. */
export interface BodyHooks {
  readonly announced: Hook;
  readonly received: Hook;
  /** Reserves room for a body that will have `bytes` when it is unpacked. Throws if there is too little. */
  readonly reserve: (request: FastifyRequest, reply: FastifyReply, bytes: number) => void;
}

/** Shared by all endpoints that accept bodies. `visits`: organizations that got responses. */
export function limitBodies(limits: BodyLimits, visits: LatestVisits): BodyHooks {
  const { bodyMax, organizationMax, totalMax } = limits;
  const held = new Map<string, number>();
  let total = 0;
  const shares = new WeakMap<FastifyRequest, number>();
  const debts = bodyDebts(limits, visits);

  const grow = (request: FastifyRequest, bytes: number): KnownError | null => {
    const organizationId = request.principal.organizationId ?? '';
    const own = held.get(organizationId) ?? 0;
    const share = shares.get(request) ?? 0;
    if (own > share && own + bytes > organizationMax)
      return tooMuch('This organization is sending too much at once: wait for earlier batches');
    if (total > share && total + bytes > totalMax) return tooMuch('Too much is being sent at once');
    const wait = debts.charge(organizationId, share, bytes);
    if (wait > 0) return tooMuch('This organization sends large bodies too fast: send smaller ones, or wait', wait);
    total += bytes;
    held.set(organizationId, own + bytes);
    shares.set(request, share + bytes);
    return null;
  };
  const growTo = (request: FastifyRequest, reply: FastifyReply, bytes: number): KnownError | null => {
    const more = bytes - (shares.get(request) ?? 0);
    return more > 0 && !reply.raw.closed ? grow(request, more) : null;
  };
  const release = (request: FastifyRequest): void => {
    const organizationId = request.principal.organizationId ?? '';
    const share = shares.get(request) ?? 0;
    total -= share;
    const left = (held.get(organizationId) ?? 0) - share;
    if (left > 0) held.set(organizationId, left);
    else held.delete(organizationId);
  };
  return {
    announced(request, reply, done) {
      const length = Number(request.headers['content-length'] ?? UNKNOWN_BYTES);
      // The parser refuses the body without reading it, so waiting would not help.
      if (length > bodyMax) return done();
      // The parser refuses an invalid length.
      const refusal = grow(request, Number.isFinite(length) ? length : UNKNOWN_BYTES);
      if (refusal) return done(refusal);
      whenClosed(reply, () => release(request));
      done();
    },
    received(request, reply, done) {
      done(growTo(request, reply, (request.body as Buffer | undefined)?.length ?? 0) ?? undefined);
    },
    reserve(request, reply, bytes) {
      const refusal = growTo(request, reply, bytes);
      if (refusal) throw refusal;
    },
  };
}

/**
 * A leaky bucket per organization for the bytes of a body beyond `ordinaryMax`: large bodies keep other requests
 * waiting long after their own responses.
 */
function bodyDebts({ ordinaryMax, bytesASecond }: BodyLimits, visits: LatestVisits) {
  /** Time at which the debt will be paid off. */
  const paidAt = new Map<string, number>();
  let sweepAt = SWEEP_AT;
  const sweep = (time: number): void => {
    for (const [organizationId, at] of paidAt) if (at <= time) paidAt.delete(organizationId);
    sweepAt = Math.max(SWEEP_AT, 2 * paidAt.size);
  };
  return {
    /**
     * Charges a body that grows by `bytes`. If it must wait for an earlier one, returns the seconds until that one is
     * paid off, and charges nothing.
     */
    charge(organizationId: OrganizationId, before: number, bytes: number): number {
      const beyond = Math.max(before + bytes - ordinaryMax, 0) - Math.max(before - ordinaryMax, 0);
      if (beyond === 0) return 0;
      const time = elapsedMilliseconds();
      const owed = (paidAt.get(organizationId) ?? 0) - time;
      const isContended = time - visits.lastOfOthers(organizationId) < CONTENDED_MILLISECONDS;
      if (owed > 0 && isContended && before <= ordinaryMax) return Math.ceil(owed / 1000);
      if (paidAt.size >= sweepAt) sweep(time);
      // Replaces an earlier debt: of several bodies sent while no other organization was active, only the last one
      // counts.
      paidAt.set(organizationId, time + (beyond / bytesASecond) * 1000);
      return 0;
    },
  };
}

function tooMuch(message: string, retryAfterSeconds = RETRY_SECONDS): KnownError {
  recordRefusal('bodies_under_way');
  return new KnownError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
