/** Decides for each outcome of a batch whether it is new, a correction, older than what is known, or a resend. */
import { compareInstants, type Instant, instantAt, microsOf } from '#kernel/time/instant.ts';
import type { LastStatement, StatedOutcome } from './outcome.table.ts';
import type { SentOutcome } from './parse-outcome.ts';

/** Changes made by recording an outcome. */
export type OutcomeEffect = 'NEW' | 'CORRECTION' | 'SUPERSEDED' | 'NONE';

export interface SettledOutcomes {
  /** One per outcome, in order. */
  readonly effects: readonly OutcomeEffect[];
  readonly versions: readonly (StatedOutcome & { readonly version: number })[];
  /** For each key whose current version changed, the version that now counts. */
  readonly current: readonly (StatedOutcome & { readonly versions: number })[];
  /** Keys that only got older versions. */
  readonly counted: readonly { readonly key: string; readonly versions: number }[];
}

interface Known {
  readonly last: readonly (Omit<LastStatement, 'statedAt'> & { readonly statedAt: Instant })[];
  /** Versions that were recorded before, as `fingerprintOf` writes them. */
  readonly fingerprints: ReadonlySet<string>;
}

/** Identifies a version of an outcome: the digest of its content, and its key. */
export const fingerprintOf = ({ key, fingerprint }: { key: string; fingerprint: string }): string =>
  `${fingerprint} ${key}`;

/**
 * A version that was recorded before changes nothing. Of several versions, the one stated last counts, whatever the
 * order of their arrival. Without `stated_at`, or with one in the future, an outcome counts as stated when it arrives,
 * after everything that arrived before it.
 */
export function settleStatements(sent: readonly SentOutcome[], known: Known, receivedAt: Instant): SettledOutcomes {
  const last = new Map<string, { statedAt: Instant; fingerprint: string; versions: number }>(
    known.last.map((one) => [one.key, one]),
  );
  const fingerprints = new Set(known.fingerprints);
  const versions: (StatedOutcome & { version: number })[] = [];
  const current = new Map<string, StatedOutcome>();
  const touched = new Set<string>();
  const effects = sent.map((outcome): OutcomeEffect => {
    const { key, fingerprint } = outcome;
    if (fingerprints.has(fingerprintOf(outcome))) return 'NONE';
    fingerprints.add(fingerprintOf(outcome));
    touched.add(key);
    const before = last.get(key);
    const statedAt = statedAtOf(outcome, before?.statedAt, receivedAt);
    const order = before ? compareInstants(statedAt, before.statedAt) : 1;
    const counts = order > 0 || (order === 0 && fingerprint > (before?.fingerprint ?? ''));
    const version = (before?.versions ?? 0) + 1;
    const stated: StatedOutcome = { ...outcome, statedAt: statedAt.iso };
    versions.push({ ...stated, version });
    if (counts) current.set(key, stated);
    last.set(key, before && !counts ? { ...before, versions: version } : { statedAt, fingerprint, versions: version });
    if (!before) return 'NEW';
    return counts ? 'CORRECTION' : 'SUPERSEDED';
  });
  const versionsOf = (key: string) => last.get(key)?.versions ?? 0;
  return {
    effects,
    versions,
    current: [...current.values()].map((stated) => ({ ...stated, versions: versionsOf(stated.key) })),
    counted: [...touched].filter((key) => !current.has(key)).map((key) => ({ key, versions: versionsOf(key) })),
  };
}

function statedAtOf({ statedAt }: SentOutcome, before: Instant | undefined, receivedAt: Instant): Instant {
  if (statedAt !== null && compareInstants(statedAt, receivedAt) <= 0) return statedAt;
  return before && compareInstants(receivedAt, before) <= 0 ? instantAt(microsOf(before) + 1n) : receivedAt;
}
