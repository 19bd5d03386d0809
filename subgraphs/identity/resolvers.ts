export function resolvers(): object { return {}; }
