/** Kysely table types derived from entities: camelCase names, values as the driver returns and accepts them. */
import type { EntitySchemaWithMeta } from '@mikro-orm/core';
import {
  CamelCasePlugin,
  type ColumnType,
  type CompiledQuery,
  DummyDriver,
  type Expression,
  type Generated,
  Kysely,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryId,
  type RootOperationNode,
  ValueNode,
} from 'kysely';
import type { InferEntityProperties, MaybeReturnType } from '@mikro-orm/postgresql';

/** Any result of `defineEntity`. */
// oxlint-disable-next-line typescript/no-explicit-any -- the entity's type arguments do not matter here
type Entity = EntitySchemaWithMeta<any, any, any, any, any>;

/**
 * A Kysely instance without a connection for building statements: `tables<typeof SessionTable | typeof
 * AccountUserTable>()`. `statement.ts` executes them.
 */
export function tables<Entities extends Entity>(): Kysely<TablesOf<Entities>> {
  return BUILDER as Kysely<TablesOf<Entities>>;
}

export type TablesOf<Entities extends Entity> = {
  [E in Entities as CamelCase<E['tableName']>]: TableOf<InferEntityProperties<E>>;
};

type TableOf<Properties> = {
  [P in keyof Properties as ColumnNameOf<P, MaybeReturnType<Properties[P]>>]: ColumnOf<MaybeReturnType<Properties[P]>>;
};

/** Properties with an explicit column name use the column's name. */
type ColumnNameOf<Property, Builder> = Builder extends { '~options': { fieldName: infer Name extends string } }
  ? string extends Name
    ? Property
    : CamelCase<Name>
  : Property;

type ColumnOf<Builder> = Builder extends { '~type'?: { value: infer Value }; '~options': infer Options }
  ? Defaulted<Options extends { nullable: true } ? Stored<Value> | null : Stored<Value>, Options>
  : never;

type Defaulted<Value, Options> = Options extends { default: unknown } | { defaultRaw: unknown }
  ? Generated<Value>
  : Value;

/** Instants and big numbers are text; JSON is parsed by the driver and written as text. */
type Stored<Value> = Value extends Date
  ? ColumnType<string, Date | string, Date | string>
  : Value extends bigint
    ? ColumnType<string, number | bigint | string, number | bigint | string>
    : Value extends string | number | boolean | Buffer
      ? Value
      : ColumnType<Value, Value | string, Value | string>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Placeholder for a value that is bound at execution. */
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
 * The input as seen while building. Instants compare with columns as text; numbers compare with all numeric columns.
 */
export type Parameters<Input> = {
  readonly [Name in keyof Input]: Placeholder<Input[Name] extends number | null ? never : Taken<Input[Name]>>;
};

type Taken<Value> = Value extends Date ? string : Value;

/** Creates a placeholder for each requested name. */
export function placeholders<Input>(): Parameters<Input> {
  const known = new Map<string, Placeholder<unknown>>();
  return new Proxy({} as Parameters<Input>, {
    ownKeys() {
      throw new Error('Placeholders cannot be listed: access each by its name');
    },
    get(_, name: string) {
      const placeholder = known.get(name) ?? new Placeholder(name);
      known.set(name, placeholder);
      return placeholder;
    },
  });
}

/** A placeholder used several times is one parameter. */
class Compiler extends PostgresQueryCompiler {
  readonly #numbers = new Map<unknown, number>();

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#numbers.clear();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(value: unknown): void {
    const number = this.#numbers.get(value);
    if (number !== undefined) return this.append(`$${number}`);
    super.appendValue(value);
    if (value instanceof Placeholder) this.#numbers.set(value, this.numParameters);
  }
}

const BUILDER = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new Compiler(),
  },
  plugins: [new CamelCasePlugin({ underscoreBeforeDigits: true })],
});
