/** Changes a card's versions by dated rules: a version also begins where a rule begins or ends. */
import { type IsoSpan, isWithinSpan, startMs } from '#kernel/time/iso-span.ts';
import type { RateCardVersion } from '../rate-card-version.ts';
import type { VersionDraft } from './card-draft.ts';

/** The version in force at an instant. `versions` are sorted by start. */
export function inForceAt<Version extends Pick<VersionDraft, 'effectiveFrom'>>(
  versions: readonly Version[],
  atMs: number,
): Version | undefined {
  return versions.findLast(({ effectiveFrom }) => startMs(effectiveFrom) <= atMs);
}

/** Splits the versions wherever a rule begins or ends. `change` is called for each resulting period. */
export function changeOverTime<Rule extends IsoSpan>(
  versions: readonly VersionDraft[],
  rules: readonly Rule[],
  change: (version: RateCardVersion, active: readonly Rule[], atMs: number) => Omit<VersionDraft, 'effectiveFrom'>,
): VersionDraft[] {
  const starts = [
    ...versions.map(({ effectiveFrom }) => effectiveFrom),
    ...rules.flatMap(({ from, until }) => [from ?? null, ...(until === undefined ? [] : [until])]),
  ];
  const byInstant = new Map(starts.map((start) => [startMs(start), start]));
  return [...byInstant]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([atMs, effectiveFrom]) => {
      const own = inForceAt(versions, atMs);
      if (own === undefined) return [];
      const active = rules.filter((rule) => isWithinSpan(rule, atMs));
      const changed = change(own.version, active, atMs);
      return [{ effectiveFrom, ...(own.isCorrected ? { isCorrected: own.isCorrected } : {}), ...changed }];
    });
}
