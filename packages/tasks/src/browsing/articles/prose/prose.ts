/**
 * What an article says: headings, and paragraphs of sentences, each in several wordings, of which the entity has one. `{fact}` stands for the
 * value of a fact, `{a fact}` for the same after "a" or "an", `{name}` for the entity, `{short}` for a person's family name, `{he}`,
 * `{He}`, `{his}`, `{His}` for a person's pronouns. All wordings of a sentence tell the same facts; the sentence is left out where
 * one of them is not known.
 */
export type Prose = readonly (string | readonly (readonly string[])[])[];
