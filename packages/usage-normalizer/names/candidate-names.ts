/** Catalogue names to try for a model: the name as sent, then shorter and shorter variants (decision 9, D21). */

export type CandidateName = {
  readonly name: string;
  /** For display: `as sent`, or `after dropping "us." and "-20250929"`. */
  readonly rule: string;
  /**
   * Index of the structural form this candidate belongs to; 0 is the name as sent. Forms differ in path, routing suffix
   * and region. Candidates of one form differ only in dropped version suffixes.
   */
  readonly form: number;
  /** Number of version suffixes dropped from the form. */
  readonly versionsDropped: number;
};

export const CANDIDATES_MAX = 9;
const VERSIONS_DROPPED_MAX = 3;
/**
 * Version suffixes are dropped from the shortest forms only: `host/vendor/model`, a router's `vendor/model` and the
 * bare model.
 */
const FORMS_WITH_VERSIONS_DROPPED = 3;

/** Candidates in lower case, most specific first, without duplicates. */
export function candidateNames(model: string): CandidateName[] {
  const forms = structuralForms(model.trim().toLowerCase());
  const firstWithVersions = forms.length - FORMS_WITH_VERSIONS_DROPPED;
  const chains = forms.map((form, index) =>
    versionChain(form, index >= firstWithVersions).map((link, versionsDropped) => ({
      name: link.name,
      rule: ruleOf(link.dropped),
      form: index,
      versionsDropped,
    })),
  );
  // For a regional form, all versions are tried before the region is dropped: regions have prices of their own.
  const regional = forms.findIndex((form) => REGION.test(form.name));
  const blocks =
    regional === -1
      ? [chains]
      : [
          [...chains.slice(0, regional).map((chain) => chain.slice(0, 1)), chains[regional]!],
          chains.slice(regional + 1),
        ];
  const ordered = blocks.flatMap((block) => block.flat().toSorted((a, b) => a.versionsDropped - b.versionsDropped));
  return ordered
    .filter((one, index) => ordered.findIndex((other) => other.name === one.name) === index)
    .slice(0, CANDIDATES_MAX);
}

type Form = { readonly name: string; readonly dropped: readonly string[] };

/**
 * The owner of a fine-tuned model: `ft:gpt-4o-2024-08-06:acme::b1`. `ft:` is kept, since tuned models have prices of
 * their own.
 */
const TUNED_FOR = /(?<=^ft:[^:]+):.*$/;
const ARN = /^arn:.*\//;
const MODELS_PATH = /^(?:.*\/)?models\//;
const PROVIDER_PATH = /^[^/]+\//;
/**
 * Suffixes that tell a router or an agent how to run a model: `[1m]` is Claude Code's long context, `@default` is a
 * model's only version at Vertex AI. `:free`, `:batch`, `:thinking`, … have prices of their own and are kept.
 */
const ROUTING = /(?::(?:online|nitro|floor|beta|exacto)|\[\d+[km]\]|@default)$/;
const REGION = /^(?:us|us-gov|eu|apac|ap|au|jp|in|ca|sa|me|af|global)\.(?=[a-z0-9-]+\.)/;

/**
 * Suffixes that mean the newest model of a line. After a generation (`gemini-2.5-pro-latest`) they count as a version
 * suffix.
 */
const NEWEST = /-(?:latest|preview|exp)$/;

const VERSION_SUFFIXES: readonly RegExp[] = [
  /[-@]20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/, // -YYYYMMDD; Google's hosts write @YYYYMMDD
  /-20\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  /-(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/, // -MMDD
  /(?<=-preview)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]|20\d{2})$/, // Gemini: -preview-MM-DD or -preview-MM-YYYY
  /-\d{3}$/,
  NEWEST,
  /-v\d+(?::\d+)?$/,
  /:\d+$/,
];

/** Each form drops one more part than the form before it. */
function structuralForms(sent: string): Form[] {
  const forms: Form[] = [{ name: sent, dropped: [] }];
  for (const pattern of [TUNED_FOR, ROUTING, ARN, MODELS_PATH, PROVIDER_PATH, PROVIDER_PATH, REGION]) {
    const last = forms.at(-1)!;
    const shorter = drop(last, pattern);
    if (shorter) forms.push(shorter);
  }
  return forms;
}

/** The name, then the name with one version suffix removed, then two, and so on. */
function versionChain(form: Form, mayDrop: boolean): Form[] {
  const chain = [form];
  while (mayDrop && chain.length <= VERSIONS_DROPPED_MAX) {
    const last = chain.at(-1)!;
    const shorter = VERSION_SUFFIXES.map((pattern) => drop(last, pattern)).find((found) => found !== null);
    if (!shorter) break;
    chain.push(shorter);
  }
  return chain;
}

function drop({ name, dropped }: Form, pattern: RegExp): Form | null {
  const found = pattern.exec(name)?.[0];
  if (!found || found.length === name.length) return null;
  const shorter = name.replace(pattern, '');
  if (pattern === NEWEST && !(found === '-latest' ? namesMinorGeneration(shorter) : namesGeneration(shorter)))
    return null;
  return { name: shorter, dropped: [...dropped, found] };
}

/** A number that is not a size: `4`, `2.5`, `4o`, `o1`, `qwen3`, but not `70b`, `8x7b` or `128k`. */
const GENERATION = /^(?:[a-z]*\d+(?:\.\d+)*|\d+(?:\.\d+)*[ac-jln-z])$/;

/**
 * True if the name contains its generation. `gemini-pro-latest` refers to a different model every few months, so it
 * must never take the price of an old `gemini-pro`; `gemini-2.5-pro-latest` is always a 2.5 Pro.
 */
function namesGeneration(name: string): boolean {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .split(/[-_:@]/)
    .some((part) => GENERATION.test(part));
}

/**
 * True if the name contains a generation such as `2.5` or `4-6`. For a name without one, such as `gpt-5-latest` or
 * `claude-opus-4-latest`, it is unknown which model it refers to.
 */
function namesMinorGeneration(name: string): boolean {
  return /(?:^|[^\d.])\d{1,2}[.-]\d{1,2}(?!\d)/.test(name.slice(name.lastIndexOf('/') + 1));
}

function ruleOf(dropped: readonly string[]): string {
  return dropped.length === 0 ? 'as sent' : `after dropping ${dropped.map((text) => `"${text}"`).join(' and ')}`;
}
