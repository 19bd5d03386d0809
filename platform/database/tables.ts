/** Tables as Kysely sees them, typed from their entities: names in camelCase, values as PostgreSQL's driver gives and takes them. */
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
// oxlint-disable-next-line typescript/no-explicit-any -- the generics of an entity are of no matter here
type Entity = EntitySchemaWithMeta<any, any, any, any, any>;

/**
 * For building statements over the tables of these entities: `tables<typeof SessionTable | typeof AccountUserTable>()`. It
 * has no connection: `statement.ts` runs what it builds.
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

/** What an entity calls differently from its column goes by the column's name. */
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

/** Instants and big numbers arrive as text, JSON is read by the driver and written as text. */
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

/** Stands in a statement for a value that comes when it is run. */
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
  readonly [Name in keyof Input]: Placeholder<Input[Name] extends number | null ? never : Taken<Input[Name]>>;
};

type Taken<Value> = Value extends Date ? string : Value;

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

/** A placeholder that stands in several places is one parameter: `$1` here is `$1` there. */
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
