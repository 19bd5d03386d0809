/**
 * Every GraphQL document that this service sends is written as `graphql('query Name …')`. At run time it is the string it
 * was; to the compiler it carries the types of its data and variables, which `npm run generate` writes by its operation's name.
 * `npm run check:documents` finds all of them and validates each against the schema.
 */
import type { Operations } from './documents.generated.ts';

declare const types: unique symbol;

/** The text of a document. A plain string is none: only {@link graphql} makes one. */
export type GraphqlDocument<Data = unknown, Variables = Readonly<Record<string, unknown>>> = string & {
  // A method, so that a document with variables of its own is a document to anyone who does not look at them.
  readonly [types]: { of(variables: Variables): Data };
};

/** The data that a document gives, by its operation's name. */
export type DataOf<Name extends keyof Operations> = Operations[Name]['data'];

/** The variables that it takes. */
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
/** Asks nothing more of the text; of one whose operation has no name or no types yet, something that no text has: what to do. */
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

/** A document that goes to a subgraph without the gateway: it may also ask for fields that are `@inaccessible`. */
export function internalGraphql<const Text extends string>(
  text: Text & Generated<OperationName<Text>>,
): DocumentOf<OperationName<Text>> {
  return text as unknown as DocumentOf<OperationName<Text>>;
}

/** A fragment that describes the objects of a list which the graph gives as one JSON value. It is never sent. */
export function graphqlFragment(text: string): string {
  return text;
}
