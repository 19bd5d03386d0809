/** Stand-ins for parts of Apollo's libraries (`platform/import-without.ts`) whose exports are imported by name. */
export const STAND_INS = import.meta.filename;

class Message {
  readonly nodes: unknown[] = [];
}

/**
 * Stand-in for `@apollo/usage-reporting-protobuf`: messages that tell Apollo how a plan was executed. The gateway
 * creates them for every request and discards them if no trace was requested; the originals are 740 kB of code.
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
 * Stand-in for `@graphql-tools/schema`: a server in front of a gateway creates no schema.
 *
 * @public
 */
export function makeExecutableSchema(): never {
  throw new Error('The schema comes from the gateway');
}
