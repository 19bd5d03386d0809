/**
 * A customer's id at the payment processor: `cus_` and the end user's id or the customer's name, without separators.
 */
export function customerId(name: string): string {
  return `cus_${name.toLowerCase().replaceAll(/\W/g, '_')}`;
}
