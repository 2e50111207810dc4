import type { Builder, Draft } from './builder.js';

const sides = ['north', 'south', 'east', 'west', 'middle'] as const;

export function buildLand(builder: Builder): void {
  const { random, names } = builder;
  for (let index = 0; index < 7; index++) {
    const culture = names.cultures[index % names.cultures.length] ?? random.pick(names.cultures);
    const country = builder.add('country', names.word(culture, 'land'), culture, {
      population: builder.number(800_000, 19_000_000),
      currency: names.word(culture, 'thing').toLowerCase(),
      language: names.word(culture, 'thing'),
      founded: random.between(780, 1650),
      constitution: random.between(1690, 1930),
    });
    for (const side of sides) layRegion(builder, country, side);
    const towns = builder.ofKind('town').filter(({ culture: of }) => of === culture);
    country.facts.capital = random.pick(towns.slice(-30)).id;
  }
  pairTowns(builder);
}

function layRegion(builder: Builder, country: Draft, side: string): void {
  const { random, names } = builder;
  const { culture } = country;
  const region = builder.add('region', names.word(culture, 'land'), culture, {
    country: country.id,
    side,
    area: builder.number(3_000, 48_000),
  });
  const inside = { region: region.id };
  const mountains = several(random.between(1, 3), () =>
    builder.add('mountain', `Mount ${names.word(culture, 'peak')}`, culture, {
      ...inside,
      height: random.between(900, 5_200),
      hut: random.between(1860, 1975),
    }),
  );
  const lake = builder.add('lake', `Lake ${names.word(culture, 'water')}`, culture, {
    ...inside,
    area: builder.number(12, 2_400),
    depth: random.between(9, 480),
    surveyed: random.between(1780, 1960),
  });
  const rivers = several(random.between(2, 3), () =>
    builder.add('river', names.word(culture, 'water'), culture, {
      ...inside,
      length: builder.number(40, 1_100),
      regulated: random.between(1790, 1940),
      source: random.pick(mountains).id,
      mouth: lake.id,
    }),
  );
  const towns = several(random.between(7, 9), () => {
    const founded = random.between(820, 1690);
    const town = builder.add('town', names.word(culture, 'town'), culture, {
      ...inside,
      founded,
      population: builder.number(1_800, 720_000),
      elevation: random.between(3, 1_400),
      walled: founded + random.between(12, 90),
      burnt: random.between(founded + 100, 1830),
      railway: random.between(1838, 1931),
    });
    if (random.chance(0.75)) town.facts.river = random.pick(rivers).id;
    return town;
  });
  region.facts.seat = random.pick(towns).id;
  for (let island = random.between(0, 2); island > 0; island--) {
    builder.add('island', names.word(culture, 'peak'), culture, {
      lake: lake.id,
      area: random.between(1, 90),
      population: builder.number(12, 4_000),
      lighthouse: random.between(1770, 1930),
    });
  }
}

function pairTowns(builder: Builder): void {
  const towns = builder.random.shuffle(builder.ofKind('town'));
  for (let index = 0; index + 1 < towns.length * 0.8; index += 2) {
    const [town, twin] = [towns[index], towns[index + 1]];
    if (!town || !twin) continue;
    town.facts.twin = twin.id;
    twin.facts.twin = town.id;
  }
}

function several<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
