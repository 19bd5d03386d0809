/** Stands in a statement for a value that comes when it is run. */
import { type Expression, type OperationNode, ValueNode } from 'kysely';

export class Placeholder<T> implements Expression<T> {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get expressionType(): T | undefined {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this);
  }
}

/**
 * What a statement is given, as it stands in it. Instants compare with columns as text does; numbers with every column that
 * holds some, big ones too.
 */
export type Parameters<Input> = {
  readonly [Name in keyof Input]: Placeholder<Input[Name] extends number | null ? never : Given<Input[Name]>>;
};

type Given<Value> = Value extends Date ? string : Value;

/** One for each name, whatever names are asked for. */
export function placeholders<Input>(): Parameters<Input> {
  const known = new Map<string, Placeholder<unknown>>();
  return new Proxy({} as Parameters<Input>, {
    ownKeys() {
      throw new Error('Placeholders are named one by one: no one knows them all');
    },
    get(_, name: string) {
      const placeholder = known.get(name) ?? new Placeholder(name);
      known.set(name, placeholder);
      return placeholder;
    },
  });
}
