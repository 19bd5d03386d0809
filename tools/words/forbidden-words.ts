/** Words that have no place in this code, each with the field's own (docs/glossary.md). */

export interface ForbiddenWord {
  /** Of an identifier, in lower case, its words joined by `-`: `brokenHour` is `broken-hour`. */
  readonly pattern: RegExp;
  readonly say: string;
  /** Paths where the word has its own meaning. */
  readonly except?: RegExp;
}

const TESTS = /^test\//;
/** Where faults are injected, and what they are injected into. */
const INJECTED = /^(packages\/stripe-stand-in|test)\//;

export const FORBIDDEN_NAMES: readonly ForbiddenWord[] = [
  { pattern: /\bsurroundings?\b/, say: 'dependencies' },
  { pattern: /\bcircumstances?\b/, say: 'context' },
  { pattern: /^given\b/, say: 'args on a command line, else input' },
  { pattern: /\bquestions?\b/, say: 'query, input or filter' },
  { pattern: /\basked\b/, say: 'requested' },
  { pattern: /\btold\b/, say: 'outcome or result' },
  { pattern: /^tell\b/, say: 'describe' },
  { pattern: /\bhappenings?\b/, say: 'event' },
  { pattern: /^shown?-/, say: 'to…View, format… or render…' },
  { pattern: /^draw-/, say: 'get…' },
  { pattern: /^note-/, say: 'record…, touch… or mark…', except: TESTS },
  { pattern: /\bchances?\b/, say: 'random' },
  { pattern: /\bfaults?\b/, say: 'error; a fault is one that is injected', except: INJECTED },
  { pattern: /\bbroken-hours?\b/, say: 'partial hour' },
  { pattern: /\brolled\b/, say: 'rollup' },
  { pattern: /\bsettlements?\b/, say: 'charge' },
  { pattern: /\baudit-(checks?|credits|ledger|rollups|books)\b/, say: 'verify; audit is the log' },
  { pattern: /\bseal-principal\b/, say: 'sign; what is sealed is encrypted' },
  { pattern: /\bpeople\b/, say: 'account users, end users or sessions', except: TESTS },
  { pattern: /\b(anew|beside|whoever)\b/, say: 'again, next to, anyone who', except: TESTS },
  { pattern: /\b(everybody|nobodys?)\b/, say: 'global, no one', except: TESTS },
];

/** In comments, documents and descriptions of the graph. */
export const FORBIDDEN_PROSE: readonly ForbiddenWord[] = [
  { pattern: /\banew\b/i, say: 'again' },
  { pattern: /\bwhoever\b/i, say: 'anyone who, or who' },
  { pattern: /\bnobody\b/i, say: 'no one' },
  { pattern: /\bof ours\b/i, say: 'internal, our own or of this service' },
  { pattern: /\bbeside\b/i, say: 'next to, or besides' },
  { pattern: /\bbroken hours?\b/i, say: 'partial hour' },
  { pattern: /\brolled keys?\b/i, say: 'rollup key' },
  { pattern: /\b(surroundings|circumstances)\b/i, say: 'dependencies, context' },
  { pattern: /\bbits of chance\b/i, say: 'bits of randomness' },
];
