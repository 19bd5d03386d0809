/** A parameter that takes one of a few values. */
import { fail } from '../../schema/errors.ts';
import { type ParameterSet, single } from './parameter.ts';

export interface Choice {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  /** What is sent → what the graph calls it. The first is the default. */
  readonly values: Readonly<Record<string, string>>;
}

export function choice({ name, variable, description, values }: Choice): ParameterSet {
  const sent = Object.keys(values);
  return {
    describe: [{ name, in: 'query', required: false, description, schema: { type: 'string', enum: sent, default: sent[0] } }],
    variables: [variable],
    read: ({ query }) => {
      const value = single(query, name) ?? sent[0] ?? '';
      if (!Object.hasOwn(values, value)) fail('VALIDATION_ERROR', `${name} must be one of ${sent.join(', ')}`);
      return { [variable]: values[value] };
    },
  };
}
