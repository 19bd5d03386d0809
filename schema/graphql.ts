/**
 * Every GraphQL document of this service is written as `graphql('query Name …')`. At run time it is a string. For the
 * compiler it carries the types of its data and variables, which `npm run generate` writes by operation name. `npm run
 * check:documents` validates each against the schema.
 */
import type { Operations } from './documents.generated.ts';

declare const types: unique symbol;

/** The text of a document. Only {@link graphql} creates one; a plain string is not accepted. */
export type GraphqlDocument<Data = unknown, Variables = Readonly<Record<string, unknown>>> = string & {
  // A method, so that a document with variables is assignable where variables do not matter.
  readonly [types]: { of(variables: Variables): Data };
};

/** The data of a document, by operation name. */
export type DataOf<Name extends keyof Operations> = Operations[Name]['data'];

/** The variables of a document, by operation name. */
export type VariablesOf<Name extends keyof Operations> = Operations[Name]['variables'];

type Before<Text extends string, Mark extends string> = Text extends `${infer Head}${Mark}${string}` ? Head : Text;
type AfterKeyword<Text extends string> = Text extends `query ${infer Rest}`
  ? Rest
  : Text extends `mutation ${infer Rest}`
    ? Rest
    : never;
type OperationName<Text extends string> = Before<Before<AfterKeyword<Text>, ' '>, '('>;
type DocumentOf<Name> = Name extends keyof Operations
  ? GraphqlDocument<Operations[Name]['data'], Operations[Name]['variables']>
  : never;
/**
 * Accepts the text, or, if the operation has no name or no generated types, demands a property whose name says what to
 * do.
 */
type Generated<Name> = [Name] extends [never]
  ? { readonly 'begin with query or mutation and a name': true }
  : Name extends keyof Operations
    ? unknown
    : { readonly 'npm run generate writes the types of this operation': true };

/** A document for the gateway, valid against `schema/api.graphql`. */
export function graphql<const Text extends string>(
  text: Text & Generated<OperationName<Text>>,
): DocumentOf<OperationName<Text>> {
  return text as unknown as DocumentOf<OperationName<Text>>;
}

/** A document that may use internal fields: those tagged `internal`, and `@inaccessible` ones of a single subgraph. */
export function internalGraphql<const Text extends string>(
  text: Text & Generated<OperationName<Text>>,
): DocumentOf<OperationName<Text>> {
  return text as unknown as DocumentOf<OperationName<Text>>;
}

/** A fragment that describes the objects of a list that GraphQL returns as one JSON value. It is never sent. */
export function graphqlFragment(text: string): string {
  return text;
}
