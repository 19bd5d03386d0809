/** Plain text parameters, in the query or in the path. */
import { UUID } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import { type ParameterSet, single } from './parameter.ts';

const LENGTH_MAX = 255;

export interface TextParameter {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  readonly required?: boolean;
  /** Pattern that the text must match, and its description in the error message. */
  readonly form?: { readonly pattern: RegExp; readonly named: string; readonly format?: string };
}

export function textParameter({ name, variable, description, required = false, form }: TextParameter): ParameterSet {
  const schema = {
    type: 'string',
    minLength: 1,
    maxLength: LENGTH_MAX,
    ...(form?.format ? { format: form.format } : {}),
  };
  return {
    describe: [{ name, in: 'query', required, description, schema }],
    variables: [variable],
    read: ({ query }) => {
      const value = single(query, name);
      if (value === undefined) {
        if (required) fail('VALIDATION_ERROR', `${name} is required`);
        return {};
      }
      if ([...value].length > LENGTH_MAX)
        fail('VALIDATION_ERROR', `${name} must have at most ${LENGTH_MAX} characters`);
      if (form && !form.pattern.test(value)) fail('VALIDATION_ERROR', `${name} must be ${form.named}`);
      return { [variable]: value };
    },
  };
}

export function pathParameter(name: string, variable: string, description: string): ParameterSet {
  return {
    describe: [{ name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } }],
    variables: [variable],
    read: ({ path }) => {
      const value = path[name] ?? '';
      if (value === '' || value.includes('\0') || !value.isWellFormed())
        fail('VALIDATION_ERROR', `${name} is not a valid identifier`);
      return { [variable]: value };
    },
  };
}

export const UUID_FORM = {
  pattern: UUID,
  named: 'a UUID',
  format: 'uuid',
} as const;
