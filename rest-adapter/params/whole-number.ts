/** A parameter that is a whole number between two bounds. */
import { fail } from '../../schema/errors.ts';
import { type ParameterSet, single } from './parameter.ts';

export interface WholeNumber {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly fallback: number;
}

export function wholeNumber({ name, variable, description, minimum, maximum, fallback }: WholeNumber): ParameterSet {
  const schema = { type: 'integer', format: 'int32', minimum, maximum, default: fallback };
  return {
    describe: [{ name, in: 'query', required: false, description, schema }],
    variables: [variable],
    read: ({ query }) => {
      const value = single(query, name);
      if (value === undefined) return { [variable]: fallback };
      const parsed = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      if (!(parsed >= minimum && parsed <= maximum)) fail('VALIDATION_ERROR', `${name} must be a whole number from ${minimum} to ${maximum}`);
      return { [variable]: parsed };
    },
  };
}
