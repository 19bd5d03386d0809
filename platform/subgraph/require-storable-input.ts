/**
 * Refuses text that the database cannot store, in every `String` and `ID` of a mutation's input, before an operation
 * sees it. Values of type `JSON` are checked where they are parsed, since an invalid item rejects only that item.
 */
import {
  type GraphQLInputType,
  type GraphQLResolveInfo,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import { textError } from '#kernel/bounded-text.ts';
import { fail } from '#kernel/errors.ts';

const TEXTS = ['String', 'ID'];

/**
 * Fails with `VALIDATION_ERROR` and the name of the field. `input` is the mutation's argument of that name; mutations
 * without one are internal, and check their arguments themselves.
 */
export function requireStorableInput({ parentType, fieldName }: GraphQLResolveInfo, input: unknown): void {
  const argument = parentType.getFields()[fieldName]?.args.find(({ name }) => name === 'input');
  if (argument) requireStorable(argument.type, input, argument.name);
}

function requireStorable(type: GraphQLInputType, value: unknown, name: string): void {
  if (value === null || value === undefined) return;
  const plain = getNullableType(type);
  if (isListType(plain)) {
    for (const item of value as unknown[]) requireStorable(plain.ofType, item, name);
  } else if (isInputObjectType(plain)) {
    const values = value as Readonly<Record<string, unknown>>;
    for (const field of Object.values(plain.getFields())) requireStorable(field.type, values[field.name], field.name);
  } else if (isScalarType(plain) && TEXTS.includes(plain.name)) {
    const error = textError(value as string);
    if (error !== null) fail('VALIDATION_ERROR', `${name} must not contain ${error}`);
  }
}
