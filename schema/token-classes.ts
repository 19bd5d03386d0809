/**
 * The classes of tokens, said once. Columns, sums, inserts, facts and rollups follow from this list; what a class means for a
 * price (`subgraphs/costing/pricing/`), the public schemas and a migration are all that a further class needs besides.
 */

interface TokenClassForm {
  /** The property that counts it; null where it is part of another class, and so has a rate but no figures of its own. */
  readonly tokens: string | null;
  /** Whether every event states it: of the others null says that no one reported them, and 0 that there were none. */
  readonly isRequired: boolean;
  /** Whose rate holds where a card has none for the class. */
  readonly rateLike: string | null;
}

/** In the order in which they are shown. */
export const TOKEN_CLASSES = {
  input: { tokens: 'inputTokens', isRequired: true, rateLike: null },
  output: { tokens: 'outputTokens', isRequired: true, rateLike: null },
  cacheCreation: { tokens: 'cacheCreationInputTokens', isRequired: false, rateLike: 'input' },
  /** Writes that are kept for an hour, of all the writes to a cache. */
  cacheCreation1h: { tokens: null, isRequired: false, rateLike: 'cacheCreation' },
  cacheRead: { tokens: 'cacheReadInputTokens', isRequired: false, rateLike: 'input' },
  reasoning: { tokens: 'reasoningTokens', isRequired: false, rateLike: 'output' },
  /** Speech is never sold at the price of text: without a rate of its own it waits. */
  inputAudio: { tokens: null, isRequired: false, rateLike: null },
  outputAudio: { tokens: null, isRequired: false, rateLike: null },
  cacheReadAudio: { tokens: null, isRequired: false, rateLike: 'inputAudio' },
  /** Pictures and films that are sent cost as text does, unless the card says otherwise; what is made of them never does. */
  inputImage: { tokens: null, isRequired: false, rateLike: 'input' },
  outputImage: { tokens: null, isRequired: false, rateLike: null },
  cacheReadImage: { tokens: null, isRequired: false, rateLike: 'cacheRead' },
  inputVideo: { tokens: null, isRequired: false, rateLike: 'input' },
  outputVideo: { tokens: null, isRequired: false, rateLike: null },
} as const satisfies Readonly<Record<string, TokenClassForm>>;

type Forms = typeof TOKEN_CLASSES;
/** What has a rate. */
export type TokenClass = keyof Forms;
/** What an event counts. */
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

/** One value for each class that is counted, by the class. */
export type ByClass<Required, Other = Required> = {
  readonly [C in CountedClass]: OfClass<C, Required, Other>;
};
/** By the property of its tokens. */
export type ByTokens<Required, Other = Required> = {
  readonly [C in CountedClass as TokensOf<C>]: OfClass<C, Required, Other>;
};
/** By the property of its cost. */
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

/** A text that is put together has to be looked for among the names of properties each time; these are some. */
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

/** One value for each class that has a rate. */
export function byRate<T>(value: (name: TokenClass) => T): Readonly<Record<TokenClass, T>> {
  return fill(RATE_RECORD, value);
}

/** As the wire names a class or a property: `cache_creation_1h`, `input_tokens`. */
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

/** What all records of one kind look like. */
interface RecordForm<Name> {
  readonly names: readonly Name[];
  /** Of each name. */
  readonly properties: readonly string[];
  readonly empty: Readonly<Record<string, unknown>>;
}

function formOf<Name>(names: readonly Name[], property: (name: Name) => string): RecordForm<Name> {
  const properties = names.map(property);
  return { names, properties, empty: Object.fromEntries(properties.map((name) => [name, null])) };
}

/** Each event takes half a dozen of these. Copies of one object share its hidden class, and no entries are left to be collected. */
function fill<Name, T>({ names, properties, empty }: RecordForm<Name>, value: (name: Name) => unknown): T {
  const filled = { ...empty };
  for (let index = 0; index < names.length; index++) filled[properties[index]!] = value(names[index]!);
  return filled as T;
}
