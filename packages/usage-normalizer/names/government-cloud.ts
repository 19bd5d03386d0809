/**
 * Recognizes names that belong to a US government cloud: Bedrock's profiles and regions, their addresses, and the paths
 * of gateways. Such calls have prices of their own.
 */
const GOVERNMENT = /(?:^|[/.:])(?:aws-)?us-?gov/;

/** The pricing context of those calls. */
export const GOVERNMENT_CONTEXT = 'partition=us-gov';

/** `name`: a model, region or address, in lower case. */
export function isOfGovernment(name: string): boolean {
  return GOVERNMENT.test(name);
}
