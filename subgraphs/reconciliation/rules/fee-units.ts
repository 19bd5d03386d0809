/** Fees whose names on bills differ from those in the books. */
const UNITS: Readonly<Record<string, string>> = { web_searches: 'searches', web_search: 'searches' };

/** The unit of a charge that is not for tokens, by its class and unit in the books. */
export function billUnitOf(chargeClass: string, unit: string): string {
  return UNITS[chargeClass] ?? (chargeClass === 'units' ? unit : chargeClass);
}
