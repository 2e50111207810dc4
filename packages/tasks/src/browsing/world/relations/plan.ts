export interface RelationPlan {
  readonly value: 'entity' | 'year' | 'date' | 'number' | 'word';
  readonly unit?: string;
  readonly label: string;
  /** A noun phrase for the value; `{x}` is the fact's subject. */
  readonly noun?: string;
  /** The last wording is for dev and test, the others are for train. */
  readonly ask?: readonly string[];
  /** A predicate such as "was founded in {v}"; `{that}` is a nested predicate of the value. */
  readonly that?: string;
  /** Heading, on the value's page, of the entities that refer to it; `{Kinds}` is their plural. */
  readonly listed?: string;
}

/** `did` is a passive such as "was founded". */
export const year = (label: string, did: string, ...ask: string[]): RelationPlan => ({
  value: 'year',
  label,
  ask,
  that: `${did} {v}`,
});

/** `unit` is '' for counts. */
export const number = (label: string, unit: string, that: string, ...ask: string[]): RelationPlan => ({
  value: 'number',
  label,
  ...(unit && { unit }),
  ask,
  that,
});

interface Ties {
  readonly noun?: string;
  readonly that?: string;
  readonly listed?: string;
}

export const entity = (label: string, { noun, that, listed }: Ties, ...ask: string[]): RelationPlan => ({
  value: 'entity',
  label,
  ...(noun !== undefined && { noun }),
  ...(that !== undefined && { that }),
  ...(listed !== undefined && { listed }),
  ...(ask.length > 0 && { ask }),
});

export const word = (label: string, that: string, ...ask: string[]): RelationPlan => ({
  value: 'word',
  label,
  that,
  ...(ask.length > 0 && { ask }),
});
