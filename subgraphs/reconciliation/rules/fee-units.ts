/** Names on bills of fees whose class in the books has another name. */
const UNITS: Readonly<Record<string, string>> = { web_searches: 'searches', web_search: 'searches' };

/** The unit of a charge that is not for tokens, by its class and unit in the books. */
export function billUnitOf(chargeClass: string, unit: string): string {
  return UNITS[chargeClass] ?? (chargeClass === 'units' ? unit : chargeClass);
}
