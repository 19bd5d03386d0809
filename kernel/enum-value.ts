/** Values of the contract and of tables as GraphQL enum values: `break-even` is `BREAK_EVEN`. */

type EnumValue<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Uppercase<Head>}_${EnumValue<Rest>}`
  : Uppercase<Text>;

/** Values whose text has hyphens. All others have underscores, or are single words. */
const HYPHENATED = ['BREAK_EVEN', 'API_KEY', 'OAUTH_CLIENT', 'OTLP_TRACES', 'OTLP_LOGS', 'PROVIDER_RESPONSES'] as const;

type Hyphenated<Value extends string> = Value extends `${infer Head}_${infer Rest}`
  ? `${Head}-${Hyphenated<Rest>}`
  : Value;

/** The text that {@link enumValue} made a value from. A plain string stays a string. */
export type EnumText<Value extends string> = Lowercase<
  Value extends (typeof HYPHENATED)[number] ? Hyphenated<Value> : Value
>;

export function enumValue<Text extends string>(text: Text): EnumValue<Text> {
  return text.toUpperCase().replaceAll('-', '_') as EnumValue<Text>;
}

export function enumText<Value extends string>(value: Value): EnumText<Value> {
  const text = (HYPHENATED as readonly string[]).includes(value) ? value.replaceAll('_', '-') : value;
  return text.toLowerCase() as EnumText<Value>;
}
