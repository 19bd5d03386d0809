/** A standard rate card as an import would write it. */
import type { RateCardVersion } from '../rate-card-version.ts';

export interface VersionDraft {
  /** ISO date (midnight UTC) or instant from which the version holds; null: since ever. */
  readonly effectiveFrom: string | null;
  readonly version: RateCardVersion;
  /** Stated by hand for this stretch of time: it wins over what earlier imports stored, in the past as well. */
  readonly isCorrected?: true;
}

export interface CardDraft {
  readonly providerSlug: string;
  /** Lower case; bare for owners of models, `host/model` for hosts. Unique within the provider. */
  readonly modelSlug: string;
  readonly displayName: string;
  /** Names besides the slug, lower case, unique within the provider. */
  readonly aliases: readonly string[];
  /** By date, the undated one first; never empty. */
  readonly versions: readonly VersionDraft[];
}
