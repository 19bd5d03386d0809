/** The customers of the imaginary product, as its usage events name them. */
export interface EndUser {
  /** The `user_id` of usage events. */
  readonly id: string;
  readonly plan: 'enterprise' | 'pro' | 'free';
  readonly region: 'eu' | 'us' | 'apac';
  /** How much it uses next to the others. */
  readonly appetite: number;
  /** Days after the first of the 90 that it came. */
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

/** A few large ones and many small; two free ones use far more than they should, which is what a margin shows. */
export const endUsers: readonly EndUser[] = NAMES.map((id, index) => ({
  id,
  plan: index < ENTERPRISES ? 'enterprise' : index < PAYING ? 'pro' : 'free',
  region: REGIONS[index % REGIONS.length]!,
  appetite: (index === 17 || index === 23 ? 6 : 1) / (index + 2) ** 0.7,
  joinedDay: index < PAYING ? 0 : (index - PAYING) * 3,
}));

/** `atlas-logistics` is Atlas Logistics. */
export function nameOfEndUser(id: string): string {
  return id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
