import { Split } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../family/random.js';
import { drawChain } from './chain.js';
import { drawComparison } from './comparison.js';
import type { Condition } from './condition.js';
import { drawCount } from './count.js';
import { type Kind, kindNames } from '../world/entity.js';
import { type Giveaway, findGiveaway, containsAnswer } from './filter.js';
import { yearIn } from '../articles/list.js';
import { drawLookup } from './lookup.js';
import { normalise } from '../answers/normalise.js';
import { drawObfuscated, isMinimal } from './obfuscation.js';
import type { Question } from './question.js';
import { relations } from '../world/relation.js';
import { Site } from '../site/site.js';
import { World } from '../world/world.js';

const sites = Split.options.map((split) => new Site(new World(split, 7)));

function draws(
  count: number,
  draw: (site: Site, random: Random) => Question | undefined,
): { site: Site; question: Question }[] {
  return sites.flatMap((site) => {
    const random = new Random(`questions/${site.world.split}`);
    const questions: { site: Site; question: Question }[] = [];
    while (questions.length < count) {
      const question = draw(site, random);
      if (question) questions.push({ site, question });
    }
    return questions;
  });
}

const makers: Readonly<Record<string, (site: Site, random: Random) => Question | undefined>> = {
  lookup: drawLookup,
  chain: (site, random) => drawChain(site, random, random.between(2, 5)),
  obfuscated: drawObfuscated,
  compare: (site, random) => drawComparison(site, random, random.between(1, 5)),
  count: (site, random) => drawCount(site, random, random.between(1, 5)),
};

describe.each(Object.entries(makers))('questions of %s', (_, draw) => {
  const questions = draws(40, draw);

  test('are whole, with an answer', () => {
    for (const { question } of questions) {
      expect(question.text).not.toMatch(/[{}]|undefined|NaN|\s\s/);
      expect(question.text).toMatch(/[.?]$/);
      expect(question.difficulty).toBeGreaterThanOrEqual(1);
      expect(question.difficulty).toBeLessThanOrEqual(5);
      expect(normalise(question.reference)).not.toBe('');
    }
  });

  test('have a route whose stops show what they are to show', () => {
    for (const { site, question } of questions) {
      for (const { page, look, learned } of question.route) {
        expect(page).toBeLessThan(site.count);
        expect(learned).not.toBe('');
        if (look === undefined || look === 'end') continue;
        expect(site.world.entity(page).facts[look]).toBeDefined();
      }
    }
  });
});

describe('a chain', () => {
  test('asks through as many facts as it has hops, each of which names the next page', () => {
    for (const { site, question } of draws(60, makers.chain as never)) {
      const { route, difficulty, reference, names } = question;
      expect(route).toHaveLength(difficulty);
      expect(site.title(route[0]?.page ?? -1)).toBe(names[0]);
      for (const [index, { page, look }] of route.slice(0, -1).entries()) {
        expect(site.world.entity(page).facts[look as never]).toBe(route[index + 1]?.page);
        expect(site.links(page)).toContain(route[index + 1]?.page);
      }
      expect(site.text(route.at(-1)?.page ?? -1)).toContain(reference);
      expect(new Set(route.map(({ page }) => page)).size).toBe(route.length);
    }
  });
});

describe('vague conditions', () => {
  const conditionOn = (text: string, ...ids: number[]): Condition => ({
    text,
    holds: ({ id }) => ids.includes(id),
    path: [],
  });
  const entities = sites[0]!.world.entities.slice(0, 6);

  test('are minimal where together they leave one, and without any of them more', () => {
    expect(isMinimal(entities, [conditionOn('a', 1, 2, 3), conditionOn('b', 2, 3, 4), conditionOn('c', 0, 2)])).toBe(
      false,
    );
    expect(isMinimal(entities, [conditionOn('a', 1, 2), conditionOn('b', 2, 3)])).toBe(true);
    expect(isMinimal(entities, [conditionOn('a', 1, 2), conditionOn('b', 2, 3), conditionOn('c', 2, 5)])).toBe(false);
    expect(isMinimal(entities, [conditionOn('a', 1, 2), conditionOn('b', 1, 2)])).toBe(false);
    expect(isMinimal(entities, [conditionOn('', 1, 2, 3), conditionOn('a', 1, 2), conditionOn('b', 2, 3)])).toBe(true);
  });

  test('leave one entity, told from the words of the question alone', () => {
    let parsed = 0;
    for (const { site, question } of draws(60, drawObfuscated)) {
      const fits = reading(site, question.text);
      if (!fits) continue;
      parsed++;
      expect({ question: question.text, fits: fits.map(({ name }) => name) }).toMatchObject({
        fits: [expect.any(String)],
      });
      const answers = [fits[0]?.name ?? '', site.text(fits[0]?.id ?? -1)];
      expect(answers.some((text) => text.includes(question.reference))).toBe(true);
    }
    expect(parsed).toBeGreaterThan(3);
  });

  /** Parses a question independently of the code that wrote it; returns the entities that fit. */
  function reading({ world }: Site, text: string) {
    const kind = /(?:one|Which) (\w+)/.exec(text)?.[1] as Kind;
    const statements = text.match(/\bit [a-z][^;:?]*?(?=[;?]|\. [A-Z]|\.$)/gi) ?? [];
    if (!kindNames.includes(kind) || statements.length === 0) return undefined;
    let fitting = [...world.ofKind(kind)];
    for (const condition of statements) {
      if (/ that | who /.test(condition)) return undefined;
      const country = /^it is in (\w+)$/i.exec(condition)?.[1];
      const decade = /^it (was \w+|set out|came back|burnt down|got its \w+) in the (\d{3}0)s$/i.exec(condition);
      const range = /between ([\d,]+) and ([\d,]+)/.exec(condition);
      if (country) fitting = fitting.filter((entity) => world.countryOf(entity)?.name === country);
      else if (decade) {
        const did = Object.entries(relations).find(([, { that }]) => that === `${decade[1]} {v}`)?.[0];
        if (!did) return undefined;
        fitting = fitting.filter(
          (entity) => Math.floor((yearIn(entity, did as never) ?? 0) / 10) * 10 === Number(decade[2]),
        );
      } else if (range) {
        const pattern = condition.replace(/^it /i, '').replace(range[0], '{v}');
        const [lower, upper] = [range[1], range[2]].map((value) => Number(value?.replace(/,/g, ''))) as [
          number,
          number,
        ];
        const measured = Object.entries(relations).filter(([, { that }]) => that === pattern);
        fitting = fitting.filter(({ facts }) =>
          measured.some(([relation]) => {
            const value = facts[relation as never] as number | undefined;
            return value !== undefined && value >= lower && value <= upper;
          }),
        );
      } else return undefined;
    }
    return fitting;
  }
});

test('a question that holds its answer is known as such', () => {
  expect(containsAnswer({ text: 'Which town is home to the University of Velmar?', reference: 'Velmar' })).toBe(true);
  expect(containsAnswer({ text: 'Which town is home to the University of Velmarino?', reference: 'Velmar' })).toBe(
    false,
  );
  expect(containsAnswer({ text: 'How many hills are there in the 1880s?', reference: '1880' })).toBe(false);
});

describe('the filter of what one search solves', () => {
  const [site] = sites as [Site, ...Site[]];
  const { world } = site;
  const book =
    world.ofKind('book').find((entity) => world.named(entity, 'author')?.facts.died !== undefined) ??
    world.ofKind('book')[0];
  if (!book) throw new Error('no book');

  test('drops a question whose answer is on the page of what it names', () => {
    const text = `Who published "${book.name}"?`;
    const reference = String(book.facts.pages);
    expect(findGiveaway(site, { text, reference, names: [book.name] })).toMatchObject<Partial<Giveaway>>({
      where: expect.stringMatching(/results|first page/) as never,
    });
  });

  test('drops a question whose answer is the title of a result', () => {
    expect(
      findGiveaway(site, { text: `Which book is called ${book.name}?`, reference: book.name, names: [] }),
    ).toMatchObject({
      where: 'results',
    });
  });

  test('keeps a question whose answer is a page further', () => {
    const far = { text: 'What is it?', reference: 'zzyzx', names: [book.name] };
    expect(findGiveaway(site, far)).toBeUndefined();
  });

  test('knows numbers and dates as pages write them', () => {
    const [town, person] = [world.ofKind('town')[4], world.ofKind('person')[4]];
    if (!town || !person) throw new Error('an empty world');
    expect(
      findGiveaway(site, { text: '', names: [town.name], reference: String(town.facts.population) }),
    ).toBeDefined();
    const date = String(person.facts.born);
    const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
    expect(findGiveaway(site, { text: '', names: [person.name], reference: iso })).toBeDefined();
  });

  test('drops many chains of two facts, few long ones, and some descriptions', () => {
    const dropped = (draw: (site: Site, random: Random) => Question | undefined) =>
      draws(30, draw).filter(({ site: at, question }) => findGiveaway(at, question)).length / (30 * sites.length);
    const [short, long] = [2, 4].map((hops) => dropped((at, random) => drawChain(at, random, hops))) as [
      number,
      number,
    ];
    expect(short).toBeGreaterThan(0.25);
    expect(long).toBeLessThan(0.25);
    const described = dropped(drawObfuscated);
    expect(described).toBeGreaterThan(0.1);
    expect(described).toBeLessThan(0.7);
  });
});

test('wordings of questions are held out for dev and test', () => {
  for (const [relation, { ask }] of Object.entries(relations)) {
    if (!ask) continue;
    expect({ relation, wordings: new Set(ask).size }).toEqual({ relation, wordings: ask.length });
    expect(ask.length).toBeGreaterThan(1);
  }
  const starts = sites.map((site) => {
    const random = new Random('wordings');
    return new Set(Array.from({ length: 60 }, () => drawCount(site, random, 1)?.text.split(' ')[0]).filter(Boolean));
  });
  expect([...(starts[0] ?? [])].filter((word) => starts[1]?.has(word) || starts[2]?.has(word))).toEqual([]);
});

test('a seed gives the same question each time', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const site = sites[seed % sites.length]!;
      const draw = () => drawChain(site, new Random(String(seed)), 2 + (seed % 4));
      expect(draw()).toEqual(draw());
    }),
    { numRuns: 20 },
  );
});
