/** The end users of the imaginary product, as named in its usage events. */
export interface EndUser {
  /** The `user_id` of usage events. */
  readonly id: string;
  readonly plan: 'enterprise' | 'pro' | 'free';
  readonly region: 'eu' | 'us' | 'apac';
  /** Relative amount of usage. */
  readonly appetite: number;
  /** Day on which it joined, counted from the first of the 90. */
  readonly joinedDay: number;
}

const NAMES = [
  'atlas-logistics',
  'meridian-bank',
  'helios-energy',
  'orchard-health',
  'bluefin-travel',
  'copper-legal',
  'dovetail-homes',
  'ember-games',
  'fjord-shipping',
  'granite-insurance',
  'harbor-foods',
  'indigo-media',
  'juniper-clinic',
  'kestrel-air',
  'lantern-books',
  'marble-design',
  'nimbus-hosting',
  'opal-jewels',
  'pinecone-camping',
  'quartz-labs',
  'riverbend-school',
  'saffron-kitchens',
  'tundra-outfitters',
  'umbra-security',
  'velvet-hotels',
  'willow-pets',
  'xenon-lighting',
  'yarrow-farms',
  'zephyr-bikes',
  'amber-audio',
  'birch-realty',
  'cobalt-tools',
  'delta-fitness',
  'echo-events',
  'flint-forge',
  'grove-garden',
];
const ENTERPRISES = 4;
const PAYING = 16;
const REGIONS = ['eu', 'us', 'us', 'apac'] as const;

/** A few large customers and many small ones. Two free ones use far more than they should, which the margins show. */
export const endUsers: readonly EndUser[] = NAMES.map((id, index) => ({
  id,
  plan: index < ENTERPRISES ? 'enterprise' : index < PAYING ? 'pro' : 'free',
  region: REGIONS[index % REGIONS.length]!,
  appetite: (index === 17 || index === 23 ? 6 : 1) / (index + 2) ** 0.7,
  joinedDay: index < PAYING ? 0 : (index - PAYING) * 3,
}));

/** `atlas-logistics` becomes Atlas Logistics. */
export function nameOfEndUser(id: string): string {
  return id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
