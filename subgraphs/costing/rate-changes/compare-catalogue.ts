/** Compares a new catalogue with the stored one and decides what an import may do. Imports only append. */
import { type Money, quantity } from '#kernel/money.ts';
import { startMs } from '#kernel/time/iso-span.ts';
import { TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import { chooseTier } from '../rates/choose-tier.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { CardDraft, VersionDraft } from '../rates/corrections/card-draft.ts';
import { versionKey } from '../rates/corrections/version-key.ts';

const FACTOR_MAX = 3;

export type StoredVersion = { readonly effectiveFrom: Date | null; readonly version: RateCardVersion };

/** A standard card of an earlier import. Versions are in any order; a null start means no lower bound. */
export type StoredCard = {
  readonly providerSlug: string;
  readonly modelSlug: string;
  readonly aliases: readonly string[];
  readonly versions: readonly StoredVersion[];
};

/**
 * Versions to open, each at its start; the version in force is closed then. A null start means no lower bound. A
 * stored version with the same start that has not begun yet is replaced.
 */
export type CardChange = { readonly draft: CardDraft; readonly open: readonly StoredVersion[] };

type CardRenaming = {
  readonly draft: CardDraft;
  readonly add: readonly string[];
  readonly remove: readonly string[];
};

export type CatalogueComparison = {
  /** Reason to reject the whole import; null to proceed. */
  readonly stop: string | null;
  /** New cards. Their first version has no lower bound, so that waiting events are priced. */
  readonly added: readonly CardChange[];
  readonly changed: readonly CardChange[];
  /** Names to add to a card and to remove from it. */
  readonly renamed: readonly CardRenaming[];
  /** Changes that are not applied until a person accepts them. */
  readonly held: readonly (CardChange & { readonly why: string })[];
  /** Stored cards missing from the new catalogue. They stay in force, since history needs them. */
  readonly dropped: readonly StoredCard[];
  readonly unchanged: number;
};

/**
 * Compares two catalogues without rewriting the past of stored cards: a difference takes effect at the catalogue’s date
 * if that is later than now, else now.
 */
export function compareCatalogue(
  stored: readonly StoredCard[],
  drafts: readonly CardDraft[],
  importedAt: Date,
): CatalogueComparison {
  const storedByKey = new Map(stored.map((card) => [keyOf(card), card]));
  const draftKeys = new Set(drafts.map(keyOf));
  const known = drafts.flatMap((draft) => {
    const card = storedByKey.get(keyOf(draft));
    return card ? [{ draft, card, ...versionsToOpen(card, draft, importedAt) }] : [];
  });
  const differing = known.filter(({ open }) => open.length > 0);
  return {
    stop:
      drafts.length * 10 < stored.length * 9
        ? `The catalogue shrank by more than a tenth: ${stored.length} cards are stored, ${drafts.length} would remain`
        : null,
    added: drafts
      .filter((draft) => !storedByKey.has(keyOf(draft)))
      .map((draft) => ({ draft, open: draft.versions.map(asOffered) })),
    changed: differing.filter(({ sudden }) => !sudden).map(({ draft, open }) => ({ draft, open })),
    held: differing
      .filter(({ sudden }) => sudden)
      .map(({ draft, open }) => ({ draft, open, why: 'a price changed more than threefold' })),
    renamed: known
      .map(({ draft, card }) => ({
        draft,
        add: draft.aliases.filter((name) => !card.aliases.includes(name)),
        remove: card.aliases.filter((name) => !draft.aliases.includes(name)),
      }))
      .filter(({ add, remove }) => add.length + remove.length > 0),
    dropped: stored.filter((card) => !draftKeys.has(keyOf(card))),
    unchanged: known.length - differing.length,
  };
}

/** Moves held changes that a person accepted to the ordinary changes. */
export function acceptHeld(
  comparison: CatalogueComparison,
  isAccepted: (draft: CardDraft) => boolean,
): CatalogueComparison {
  const accepted = comparison.held.filter(({ draft }) => isAccepted(draft));
  return {
    ...comparison,
    changed: [...comparison.changed, ...accepted.map(({ draft, open }) => ({ draft, open }))],
    held: comparison.held.filter(({ draft }) => !isAccepted(draft)),
  };
}

/**
 * Checks the import's instant and every later one at which either side changes. Before the import's instant, only
 * prices corrected by hand replace stored ones, for as long as the correction applies.
 */
function versionsToOpen(
  card: StoredCard,
  draft: CardDraft,
  importedAt: Date,
): { open: StoredVersion[]; sudden: boolean } {
  const offered = draft.versions.map(asOffered);
  const now = importedAt.getTime();
  const changes = [...offered, ...card.versions].map(({ effectiveFrom }) => time(effectiveFrom));
  const isAnyCorrected = offered.some(({ isCorrected }) => isCorrected);
  const instants = [...new Set([now, ...changes])]
    .filter((instant) => instant >= now || isAnyCorrected)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const open: StoredVersion[] = [];
  let sudden = false;
  for (const instant of instants) {
    const offer = inForce(offered, instant);
    const next = instant >= now || offer?.isCorrected ? offer : inForce(card.versions, instant);
    const current = inForce([...card.versions, ...open], instant);
    if (!next || (current && versionKey(current.version) === versionKey(next.version))) continue;
    const isDatedSince = next.effectiveFrom !== null && time(next.effectiveFrom) > time(current?.effectiveFrom ?? null);
    const isPast = instant < now;
    const from = isPast ? asDate(instant) : isDatedSince ? next.effectiveFrom : new Date(instant);
    open.push({ effectiveFrom: from, version: next.version });
    sudden ||= !isPast && !offer?.isCorrected && current !== undefined && isSuddenChange(current.version, next.version);
  }
  return { open, sudden };
}

/** The latest version that starts at or before the instant; of several with the same start, the last one. */
function inForce<Version extends StoredVersion>(versions: readonly Version[], at: number): Version | undefined {
  return versions
    .filter(({ effectiveFrom }) => time(effectiveFrom) <= at)
    .toSorted((a, b) => time(a.effectiveFrom) - time(b.effectiveFrom) || 0)
    .at(-1);
}

type OfferedVersion = StoredVersion & Pick<VersionDraft, 'isCorrected'>;

function asOffered({ effectiveFrom, version, isCorrected }: VersionDraft): OfferedVersion {
  return { effectiveFrom: asDate(startMs(effectiveFrom)), version, ...(isCorrected ? { isCorrected } : {}) };
}

function asDate(ms: number): Date | null {
  return Number.isFinite(ms) ? new Date(ms) : null;
}

function time(instant: Date | null): number {
  return instant?.getTime() ?? Number.NEGATIVE_INFINITY;
}

function keyOf({ providerSlug, modelSlug }: { providerSlug: string; modelSlug: string }): string {
  return `${providerSlug} ${modelSlug}`;
}

/**
 * Detects a price change so large that a person should review it before it is charged.
 *
 * True if a price in both versions (of a token class on any level, or of a unit) changed by more than a factor of
 * three, or changed from or to zero. Also true if only one of the versions is priced per unit.
 */
export function isSuddenChange(before: RateCardVersion, after: RateCardVersion): boolean {
  if ((before.perUnit === null) !== (after.perUnit === null)) return true;
  const thresholds = [...before.tiers, ...after.tiers].map(({ aboveInputTokens }) => aboveInputTokens);
  return (
    isFar(before.perUnit, after.perUnit) ||
    [0, ...thresholds].some((threshold) => haveFarRates(before, after, threshold + 1)) ||
    Object.entries(before.unitPrices).some(([name, price]) => isFar(price, after.unitPrices[name] ?? null))
  );
}

function haveFarRates(before: RateCardVersion, after: RateCardVersion, inputTokens: number): boolean {
  const ratesOf = (version: RateCardVersion) => effectiveRates(chooseTier(version, quantity(inputTokens)).rates);
  const [old, now] = [ratesOf(before), ratesOf(after)];
  return TOKEN_CLASS_NAMES.some((name) => isFar(old[name], now[name]));
}

function isFar(before: Money | null, after: Money | null): boolean {
  if (before === null || after === null || before.eq(after)) return false;
  return after.gt(before.times(FACTOR_MAX)) || before.gt(after.times(FACTOR_MAX));
}
