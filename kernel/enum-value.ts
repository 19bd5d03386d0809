/** Converts a value of the contract or a table into a GraphQL enum value: `break-even` becomes `BREAK_EVEN`. */

type EnumValue<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Uppercase<Head>}_${EnumValue<Rest>}`
  : Uppercase<Text>;

export function enumValue<Text extends string>(text: Text): EnumValue<Text> {
  return text.toUpperCase().replaceAll('-', '_') as EnumValue<Text>;
}
