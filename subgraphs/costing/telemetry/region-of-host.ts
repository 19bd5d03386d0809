/** Which part of the world a provider's address serves from, where its name says so: some charge for it. */

const HOSTS: readonly RegExp[] = [
  /^([a-z]{2})\.api\.openai\.com$/,
  /^([a-z]{2})(?:-[a-z]+-\d)?\.api\.x\.ai$/,
  /^([a-z]+-[a-z]+\d+)-aiplatform\.googleapis\.com$/,
  /^aiplatform\.([a-z]{2})\.rep\.googleapis\.com$/,
];

/** Null: the name says nothing of it. */
export function regionOfHost(host: string | null): string | null {
  const name = host?.toLowerCase() ?? '';
  for (const pattern of HOSTS) {
    const region = pattern.exec(name)?.[1];
    if (region !== undefined) return region;
  }
  return null;
}
