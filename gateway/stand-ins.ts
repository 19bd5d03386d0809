/** Takes the place of parts of Apollo's libraries (`platform/import-without.ts`) of which names are asked for. */
export const STAND_INS = import.meta.filename;

class Message {
  readonly nodes: unknown[] = [];
}

/**
 * Of `@apollo/usage-reporting-protobuf`: messages that tell Apollo how a plan was carried out. The gateway makes them for every request and
 * throws them away where no one asked; theirs are 740 kB of code.
 *
 * @public
 */
export const Trace = {
  QueryPlanNode: Object.assign(class extends Message {}, {
    SequenceNode: Message,
    ParallelNode: Message,
    FlattenNode: Message,
    FetchNode: Message,
    ConditionNode: Message,
    ResponsePathElement: Message,
  }),
};

/**
 * Of `@graphql-tools/schema`: a server before a gateway makes no schema of its own.
 *
 * @public
 */
export function makeExecutableSchema(): never {
  throw new Error('The schema comes from the gateway');
}
