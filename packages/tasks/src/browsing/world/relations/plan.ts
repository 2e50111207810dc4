/** What can be known of an entity. The value of a fact is the number of another entity, or what it says. */
export interface RelationPlan {
  readonly value: 'entity' | 'year' | 'date' | 'number' | 'word';
  /** Of a number. */
  readonly unit?: string;
  /** In the first column of a box and at the head of a column. */
  readonly label: string;
  /** A noun phrase for what the fact names, `{x}` being whatever it is a fact of. */
  readonly noun?: string;
  /**
   * Questions for the value. The last wording is for dev and test, the others are for train.
   */
  readonly ask?: readonly string[];
  /**
   * A predicate, as in "it was founded in 1340", with `{v}` for the value. With an entity for a value `{that}` is a predicate of
   * that entity in turn.
   */
  readonly that?: string;
  /** The heading on the page of the entity that is the value, over all that have it; `{Kinds}` are those. Absent: it has none. */
  readonly listed?: string;
}

/** A fact that is a year. `did` is what happened then, as in "was founded". */
export const year = (label: string, did: string, ...ask: string[]): RelationPlan => ({
  value: 'year',
  label,
  ask,
  that: `${did} {v}`,
});

/** A fact that is a number; `unit` is '' where it counts. */
export const number = (label: string, unit: string, that: string, ...ask: string[]): RelationPlan => ({
  value: 'number',
  label,
  ...(unit && { unit }),
  ask,
  that,
});

/** How two entities are spoken of together. */
interface Ties {
  readonly noun?: string;
  readonly that?: string;
  readonly listed?: string;
}

/** A fact that names another entity. */
export const entity = (label: string, { noun, that, listed }: Ties, ...ask: string[]): RelationPlan => ({
  value: 'entity',
  label,
  ...(noun !== undefined && { noun }),
  ...(that !== undefined && { that }),
  ...(listed !== undefined && { listed }),
  ...(ask.length > 0 && { ask }),
});

/** A fact that is a word. */
export const word = (label: string, that: string, ...ask: string[]): RelationPlan => ({
  value: 'word',
  label,
  that,
  ...(ask.length > 0 && { ask }),
});
