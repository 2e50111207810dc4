import { Split } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { articleOf } from '../articles/article.js';
import { cultures } from '../names/cultures.js';
import { kindNames } from './entity.js';
import { type Relation, relations } from './relation.js';
import { Site } from '../site/site.js';
import { titleWords } from '../names/titleWords.js';
import { World } from './world.js';

const splits = Split.options;
const worlds = splits.flatMap((split) => [0, 1].map((number) => new World(split, number)));
const pairs = splits.flatMap((one, index) => splits.slice(index + 1).map((other) => [one, other] as const));

describe.each(worlds)('world $number of $split', (world) => {
  test('is the same each time', () => {
    expect(new World(world.split, world.number).entities).toEqual(world.entities);
  });

  test('has at least 2,000 entities of every kind, each with a name of its own', () => {
    expect(world.entities.length).toBeGreaterThanOrEqual(2_000);
    expect(new Set(world.entities.map(({ name }) => name.toLowerCase())).size).toBe(world.entities.length);
    for (const kind of kindNames) expect(world.ofKind(kind).length).toBeGreaterThan(4);
  });

  test('has facts that fit together', () => {
    const year = (id: unknown, relation: Relation) => world.entity(id as number).facts[relation] as number;
    for (const { facts } of world.entities) {
      for (const [relation, fact] of Object.entries(facts) as [Relation, number | string][]) {
        if (relations[relation].value === 'entity') expect(world.entities[fact as number]).toBeDefined();
        if (relations[relation].value === 'year') expect(fact).toBeLessThanOrEqual(1990);
      }
      if (facts.spouse !== undefined) expect(world.entity(year(facts.spouse, 'spouse')).facts).toBe(facts);
      if (facts.twin !== undefined) expect(world.entity(year(facts.twin, 'twin')).facts).toBe(facts);
      if (facts.based !== undefined) expect(year(facts.based, 'published')).toBeLessThan(facts.released as number);
      if (facts.author !== undefined)
        expect(year(facts.author, 'born')).toBeLessThan((facts.published as number) * 10_000);
      if (facts.capital !== undefined) {
        expect(world.countryOf(world.entity(facts.capital as number))?.facts).toBe(facts);
      }
    }
  });

  test('says every fact in its article, and shows an article for each entity', () => {
    for (const entity of world.entities) {
      const mentioned = new Set<string>();
      for (const block of articleOf(world, entity, []).blocks) {
        if (block.type !== 'paragraph') continue;
        for (const inline of block.text) if (typeof inline !== 'string' && inline.fact) mentioned.add(inline.fact);
      }
      expect(Object.keys(entity.facts).filter((relation) => relation !== 'gender' && !mentioned.has(relation))).toEqual(
        [],
      );
    }
  });
});

test('no ending of one split ends a name of another, and no title has a word of another', () => {
  const endings = (split: Split) => cultures[split].flatMap((culture) => Object.values(culture.endings).flat());
  const words = (split: Split) => [...titleWords[split].adjectives, ...titleWords[split].nouns];
  for (const [first, second] of pairs) {
    for (const ending of endings(first)) {
      expect(endings(second).filter((candidate) => candidate.endsWith(ending) || ending.endsWith(candidate))).toEqual(
        [],
      );
    }
    expect(words(first).filter((word) => words(second).includes(word))).toEqual([]);
  }
});

test('no name of a world is one of another split', () => {
  const names = Object.fromEntries(
    splits.map((split) => {
      const splitWorlds = worlds.filter((world) => world.split === split);
      return [
        split,
        new Set(splitWorlds.flatMap(({ title, entities }) => [title, ...entities.map(({ name }) => name)])),
      ];
    }),
  ) as Record<Split, Set<string>>;
  for (const [one, other] of pairs) expect([...names[one]].filter((name) => names[other].has(name))).toEqual([]);
});

describe('the site', () => {
  const site = new Site(worlds[0]!);
  const sample = Array.from({ length: 150 }, (_, index) => (index * 19) % site.index);

  test('has a page at every address, and only there', () => {
    for (let page = 0; page < site.count; page++) expect(site.pageAt(site.address(page))).toBe(page);
    expect(site.pageAt(`http://${site.address(5)}`)).toBe(5);
    expect(site.pageAt('wiki/Nowhere')).toBeUndefined();
  });

  test('finds a page among the first results by its title', () => {
    for (const page of sample) {
      const pages = site.search(site.title(page)).results.map((result) => result.page);
      expect({ title: site.title(page), found: pages.includes(page) }).toEqual({
        title: site.title(page),
        found: true,
      });
    }
  });

  test('links every page with others, so that all can be reached', () => {
    const reached = new Set([site.start]);
    for (const page of reached) for (const to of site.links(page)) reached.add(to);
    expect(reached.size).toBe(site.count);
  });

  test('shows words of the query in a snippet', () => {
    const river = site.world.ofKind('river')[3]?.name ?? '';
    const { results, total } = site.search(`bridges across ${river}`);
    expect(total).toBeGreaterThan(8);
    expect(results).toHaveLength(8);
    expect(results[0]?.snippet.some((part, index) => index % 2 === 1 && part.includes(river))).toBe(true);
    expect(site.search('xyzzy')).toEqual({ total: 0, results: [] });
  });
});
