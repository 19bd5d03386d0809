/** A standard rate card in the form that an import writes. */
import type { RateCardVersion } from '../rate-card-version.ts';

export interface VersionDraft {
  /** ISO date (midnight UTC) or instant from which the version applies; null: no lower bound. */
  readonly effectiveFrom: string | null;
  readonly version: RateCardVersion;
  /** Stated by hand for this period. It replaces what earlier imports stored, including in the past. */
  readonly isCorrected?: true;
}

export interface CardDraft {
  readonly providerSlug: string;
  /** Lower case; a bare name for model owners, `host/model` for hosts. Unique within the provider. */
  readonly modelSlug: string;
  readonly displayName: string;
  /** Names besides the slug, in lower case, unique within the provider. */
  readonly aliases: readonly string[];
  /** Sorted by date, the undated one first; never empty. */
  readonly versions: readonly VersionDraft[];
}
