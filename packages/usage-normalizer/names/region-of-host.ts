/** Derives the region that a provider's host serves from, if its name contains it: some providers charge for it. */

const HOSTS: readonly RegExp[] = [
  /^([a-z]{2})\.api\.openai\.com$/,
  /^([a-z]{2})(?:-[a-z]+-\d)?\.api\.x\.ai$/,
  /^([a-z]+-[a-z]+\d+)-aiplatform\.googleapis\.com$/,
  // Other regions of Bedrock have no prices of their own, beyond the profiles that the model's name shows.
  /^bedrock-runtime(?:-fips)?\.(us-gov-[a-z]+-\d)\.amazonaws\.com$/,
  /^aiplatform\.([a-z]{2})\.rep\.googleapis\.com$/,
];

/** Null if the name contains no region. */
export function regionOfHost(host: string | null): string | null {
  const name = host?.toLowerCase() ?? '';
  if (name === 'aiplatform.googleapis.com') return 'global';
  for (const pattern of HOSTS) {
    const region = pattern.exec(name)?.[1];
    if (region !== undefined) return region;
  }
  return null;
}
