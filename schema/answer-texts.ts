/**
 * The graph has enums where `/v1` and the operator's commands have lower-case texts, so each enum value in the data
 * becomes its text. `npm run generate` lists the enum fields of each document.
 */
import { enumText, type EnumText } from '#kernel/enum-value.ts';
import { ENUM_ANSWERS } from './enum-answers.generated.ts';

/** Data of a document with texts in place of enum values. */
export type WithTexts<Data> = Data extends string
  ? string extends Data
    ? Data
    : EnumText<Data>
  : Data extends object
    ? { [Name in keyof Data]: WithTexts<Data[Name]> }
    : Data;

const OPERATION_NAME = /^\s*(?:query|mutation)\s+(\w+)/;

export function withTexts<Data>(document: string, data: Data): WithTexts<Data> {
  const paths = ENUM_ANSWERS[OPERATION_NAME.exec(document)?.[1] ?? ''] ?? [];
  return paths.reduce<unknown>((answer, path) => withText(answer, path.split('.')), data) as WithTexts<Data>;
}

function withText(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withText(item, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return typeof value === 'string' ? enumText(value) : value;
  if (typeof value !== 'object' || value === null || !(name in value)) return value;
  return { ...value, [name]: withText((value as Readonly<Record<string, unknown>>)[name], rest) };
}
