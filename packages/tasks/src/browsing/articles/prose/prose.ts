/**
 * Headings, and paragraphs of sentences in several wordings. `{fact}` is a value, `{a fact}` the same with an
 * indefinite article, `{name}` the entity, `{short}` a person's family name, `{he}`, `{He}`, `{his}`, `{His}` a
 * pronoun. All wordings state the same facts. A sentence is left out if a fact is unknown.
 */
export type Prose = readonly (string | readonly (readonly string[])[])[];
