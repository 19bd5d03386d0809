/** Values as the contract and the tables spell them, as GraphQL spells enums: `break-even` is `BREAK_EVEN`. */

type EnumValue<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Uppercase<Head>}_${EnumValue<Rest>}`
  : Uppercase<Text>;

export function enumValue<Text extends string>(text: Text): EnumValue<Text> {
  return text.toUpperCase().replaceAll('-', '_') as EnumValue<Text>;
}
