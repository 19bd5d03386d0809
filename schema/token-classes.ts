/**
 * The token classes. Columns, sums, inserts, facts and rollups are derived from this list. A new class also needs its
 * pricing rule (`subgraphs/costing/pricing/`), the public schemas and a migration.
 */

interface TokenClassForm {
  /** The property with its token count; null if it is part of another class and has only a rate. */
  readonly tokens: string | null;
  /** True if every event reports it. For other classes, null means not reported and 0 means none. */
  readonly isRequired: boolean;
  /** The class whose rate applies if a card has none for this one. */
  readonly rateLike: string | null;
}

/** The token classes, in display order. */
export const TOKEN_CLASSES = {
  input: { tokens: 'inputTokens', isRequired: true, rateLike: null },
  output: { tokens: 'outputTokens', isRequired: true, rateLike: null },
  cacheCreation: { tokens: 'cacheCreationInputTokens', isRequired: false, rateLike: 'input' },
  /** Cache writes with a lifetime of one hour; part of all cache writes. */
  cacheCreation1h: { tokens: null, isRequired: false, rateLike: 'cacheCreation' },
  cacheRead: { tokens: 'cacheReadInputTokens', isRequired: false, rateLike: 'input' },
  reasoning: { tokens: 'reasoningTokens', isRequired: false, rateLike: 'output' },
  /** Audio never falls back to the text rate: without its own rate, the event waits. */
  inputAudio: { tokens: null, isRequired: false, rateLike: null },
  outputAudio: { tokens: null, isRequired: false, rateLike: null },
  cacheReadAudio: { tokens: null, isRequired: false, rateLike: 'inputAudio' },
  /** Image and video input falls back to the text rate; generated images do not. */
  inputImage: { tokens: null, isRequired: false, rateLike: 'input' },
  outputImage: { tokens: null, isRequired: false, rateLike: null },
  cacheReadImage: { tokens: null, isRequired: false, rateLike: 'cacheRead' },
  inputVideo: { tokens: null, isRequired: false, rateLike: 'input' },
  outputVideo: { tokens: null, isRequired: false, rateLike: null },
} as const satisfies Readonly<Record<string, TokenClassForm>>;

type Forms = typeof TOKEN_CLASSES;
/** Classes with a rate. */
export type TokenClass = keyof Forms;
/** Classes that events count. */
export type CountedClass = { [C in TokenClass]: Forms[C]['tokens'] extends string ? C : never }[TokenClass];
/** `inputTokens`, `cacheReadInputTokens`, … */
export type TokensOf<C extends CountedClass> = Forms[C]['tokens'];
/** `inputCost`, `cacheReadCost`, … */
export type CostOf<C extends CountedClass> = `${C}Cost`;
type OfClass<C extends CountedClass, Required, Other> = Forms[C]['isRequired'] extends true ? Required : Other;

export const TOKEN_CLASS_NAMES = Object.keys(TOKEN_CLASSES) as readonly TokenClass[];
export const COUNTED_CLASSES = TOKEN_CLASS_NAMES.filter(
  (name): name is CountedClass => TOKEN_CLASSES[name].tokens !== null,
);

/** One value per counted class, by class. */
export type ByClass<Required, Other = Required> = {
  readonly [C in CountedClass]: OfClass<C, Required, Other>;
};
/** One value per counted class, by the property with its tokens. */
export type ByTokens<Required, Other = Required> = {
  readonly [C in CountedClass as TokensOf<C>]: OfClass<C, Required, Other>;
};
/** One value per counted class, by the property with its cost. */
export type ByCost<Required, Other = Required> = {
  readonly [C in CountedClass as CostOf<C>]: OfClass<C, Required, Other>;
};

/** Tokens as an event reports them: whole numbers. */
export type TokenCounts = ByTokens<number, number | null>;

export function isRequired(name: TokenClass): boolean {
  return TOKEN_CLASSES[name].isRequired;
}

export function tokensOf<C extends CountedClass>(name: C): TokensOf<C> {
  return TOKEN_CLASSES[name].tokens;
}

/** Names are computed once: a concatenated property name would be looked up anew each time. */
const COST_NAMES = Object.fromEntries(COUNTED_CLASSES.map((name) => [name, `${name}Cost`])) as {
  readonly [C in CountedClass]: CostOf<C>;
};

export function costOf<C extends CountedClass>(name: C): CostOf<C> {
  return COST_NAMES[name];
}

const CLASS_RECORD = formOf(COUNTED_CLASSES, (name) => name);
const TOKENS_RECORD = formOf(COUNTED_CLASSES, tokensOf);
const COST_RECORD = formOf(COUNTED_CLASSES, costOf);
const RATE_RECORD = formOf(TOKEN_CLASS_NAMES, (name) => name);

export function byClass<Required, Other = Required>(
  value: (name: CountedClass) => Required | Other,
): ByClass<Required, Other> {
  return fill(CLASS_RECORD, value);
}

export function byTokens<Required, Other = Required>(
  value: (name: CountedClass) => Required | Other,
): ByTokens<Required, Other> {
  return fill(TOKENS_RECORD, value);
}

export function byCost<Required, Other = Required>(
  value: (name: CountedClass) => Required | Other,
): ByCost<Required, Other> {
  return fill(COST_RECORD, value);
}

/** One value per class with a rate. */
export function byRate<T>(value: (name: TokenClass) => T): Readonly<Record<TokenClass, T>> {
  return fill(RATE_RECORD, value);
}

/** Wire name of a class or property: `cache_creation_1h`, `input_tokens`. */
export function wireName<Name extends string>(name: Name): WireName<Name> {
  return name.replaceAll(/[A-Z]|(?<=[a-z])(?=\d)/g, (letter) => `_${letter.toLowerCase()}`) as WireName<Name>;
}

export type WireName<Name extends string, Before extends string = ''> = Name extends `${infer Letter}${infer Rest}`
  ? `${IsParted<Letter, Before> extends true ? '_' : ''}${Lowercase<Letter>}${WireName<Rest, Letter>}`
  : '';
type IsParted<Letter extends string, Before extends string> = Letter extends Digit
  ? Before extends Digit
    ? false
    : true
  : Letter extends Lowercase<Letter>
    ? false
    : true;
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** Form shared by all records of one kind. */
interface RecordForm<Name> {
  readonly names: readonly Name[];
  readonly properties: readonly string[];
  readonly empty: Readonly<Record<string, unknown>>;
}

function formOf<Name>(names: readonly Name[], property: (name: Name) => string): RecordForm<Name> {
  const properties = names.map(property);
  return { names, properties, empty: Object.fromEntries(properties.map((name) => [name, null])) };
}

/** Created several times per event. Copies of one object share its hidden class and leave nothing to collect. */
function fill<Name, T>({ names, properties, empty }: RecordForm<Name>, value: (name: Name) => unknown): T {
  const filled = { ...empty };
  for (let index = 0; index < names.length; index++) filled[properties[index]!] = value(names[index]!);
  return filled as T;
}
