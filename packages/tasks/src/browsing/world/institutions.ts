import type { Builder, Draft } from './builder.js';
import { between, bornIn, peopleOf } from './people.js';

const products = [
  'glass',
  'clocks',
  'paper',
  'bicycles',
  'tea',
  'pianos',
  'locomotives',
  'soap',
  'cameras',
  'ceramics',
  'rope',
  'maps',
];
const genres = ['jazz', 'rock', 'folk', 'swing', 'blues', 'disco'];
const fields = ['courage', 'literature', 'music', 'science', 'painting', 'peace', 'film'];
export const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];

export function buildInstitutions(builder: Builder): void {
  universities(builder);
  companies(builder);
  museums(builder);
  newspapers(builder);
  bands(builder);
  bridges(builder);
  festivals(builder);
  prizes(builder);
  offices(builder);
}

export function active(builder: Builder, people: readonly Draft[], year: number, tries = 40): Draft | undefined {
  return builder.find(people, (person) => between(year - bornIn(person), 22, 68) && year <= lastYear(person), tries);
}

function lastYear({ facts }: Draft): number {
  return (facts.died as number | undefined) ?? 1990;
}

function universities(builder: Builder): void {
  const { random } = builder;
  const professors = peopleOf(builder, 'professor');
  const founders = peopleOf(builder, 'merchant', 'politician', 'naturalist', 'writer');
  for (const town of random.shuffle(builder.ofKind('town')).slice(0, 40)) {
    const founded = random.between(1640, 1925);
    const founder = active(builder, founders, founded);
    builder.add('university', `University of ${town.name}`, town.culture, {
      town: town.id,
      founded,
      ...(founder && { founder: founder.id }),
      rector: random.pick(professors).id,
      students: builder.number(600, 31_000),
      moved: random.between(founded + 8, 1980),
    });
  }
  const candidates = builder.ofKind('university');
  for (const person of builder.ofKind('person')) {
    if (!random.chance(0.65)) continue;
    const school = builder.find(candidates, ({ facts }) => bornIn(person) + 18 >= (facts.founded as number), 6);
    if (school) person.facts.school = school.id;
  }
}

function companies(builder: Builder): void {
  const { random, names } = builder;
  const merchants = peopleOf(builder, 'merchant');
  for (let index = 0; index < 80; index++) {
    const town = builder.any('town');
    const publishes = index < 24;
    const founded = publishes ? random.between(1660, 1860) : random.between(1700, 1960);
    const founder = active(builder, merchants, founded);
    const word = names.word(town.culture, 'thing');
    builder.add(
      'company',
      publishes ? `${word} Press` : `${word} ${random.pick(['Works', 'Company', 'Brothers'])}`,
      town.culture,
      {
        town: town.id,
        founded,
        ...(founder && { founder: founder.id }),
        product: publishes ? 'books' : random.pick(products),
        employees: builder.number(14, 9_000),
        moved: random.between(founded + 4, 1985),
      },
    );
  }
}

function museums(builder: Builder): void {
  const { random } = builder;
  const architects = peopleOf(builder, 'architect');
  for (const town of random.shuffle(builder.ofKind('town')).slice(0, 40)) {
    const opened = random.between(1790, 1975);
    const architect = active(builder, architects, opened);
    builder.add('museum', `${town.name} ${random.pick(['Gallery', 'Museum', 'Art House'])}`, town.culture, {
      town: town.id,
      opened,
      ...(architect && { architect: architect.id }),
      visitors: builder.number(4_000, 900_000),
      extended: random.between(opened + 5, 1988),
    });
  }
}

function newspapers(builder: Builder): void {
  const { random } = builder;
  const editors = peopleOf(builder, 'writer', 'politician').filter((person) => bornIn(person) > 1915);
  for (const town of random.shuffle(builder.ofKind('town')).slice(0, 30)) {
    const founded = random.between(1720, 1960);
    builder.add(
      'newspaper',
      `${town.name} ${random.pick(['Courier', 'Chronicle', 'Observer', 'Gazette'])}`,
      town.culture,
      {
        town: town.id,
        founded,
        editor: random.pick(editors).id,
        copies: builder.number(2_000, 400_000),
        daily: founded + random.between(2, 28),
      },
    );
  }
}

function bands(builder: Builder): void {
  const { random, names } = builder;
  const singers = peopleOf(builder, 'singer');
  for (let index = 0; index < 50; index++) {
    const town = builder.any('town');
    const formed = random.between(1940, 1982);
    const singer = active(builder, singers, formed);
    builder.add(
      'band',
      `The ${names.word(town.culture, 'thing')} ${random.pick(['Five', 'Quartet', 'Band', 'Trio'])}`,
      town.culture,
      {
        town: town.id,
        formed,
        ...(singer && { singer: singer.id }),
        genre: random.pick(genres),
        ...(random.chance(0.6) && { split: formed + random.between(3, 7) }),
      },
    );
  }
}

function bridges(builder: Builder): void {
  const { random } = builder;
  const architects = peopleOf(builder, 'architect');
  const towns = builder.ofKind('town').filter(({ facts }) => facts.river !== undefined);
  for (const town of random.shuffle(towns).slice(0, 70)) {
    const opened = random.between(1680, 1970);
    const architect = active(builder, architects, opened);
    builder.add(
      'bridge',
      `${random.pick(['Old', 'New', 'Stone', 'Iron', 'Upper', 'Long'])} Bridge of ${town.name}`,
      town.culture,
      {
        town: town.id,
        crosses: town.facts.river,
        opened,
        ...(architect && { architect: architect.id }),
        span: random.between(28, 940),
        rebuilt: random.between(opened + 3, 1987),
      },
    );
  }
}

function festivals(builder: Builder): void {
  const { random, names } = builder;
  const founders = peopleOf(builder, 'composer', 'singer', 'actor', 'writer');
  for (let index = 0; index < 45; index++) {
    const town = builder.any('town');
    const founded = random.between(1850, 1980);
    const founder = active(builder, founders, founded);
    builder.add('festival', `${names.word(town.culture, 'thing')} Festival`, town.culture, {
      town: town.id,
      founded,
      month: random.pick(months),
      guests: builder.number(300, 90_000),
      ...(founder && { founder: founder.id }),
    });
  }
}

function prizes(builder: Builder): void {
  const { random } = builder;
  const givers = [...builder.ofKind('university'), ...builder.ofKind('museum'), ...builder.ofKind('newspaper')];
  const people = random.shuffle(builder.ofKind('person').filter((person) => bornIn(person) < 1880));
  for (const namesake of people.slice(0, 26)) {
    builder.add('prize', `${namesake.name} Prize`, namesake.culture, {
      giver: random.pick(givers).id,
      awarded: random.between(1885, 1950),
      field: random.pick(fields),
      namesake: namesake.id,
      money: builder.number(20, 9_000),
    });
  }
  for (const person of builder.ofKind('person')) {
    if (!random.chance(0.3)) continue;
    const prize = builder.find(
      builder.ofKind('prize'),
      ({ facts }) =>
        facts.namesake !== person.id && Math.max(facts.awarded as number, bornIn(person) + 30) < lastYear(person),
      5,
    );
    if (!prize) continue;
    person.facts.prize = prize.id;
    person.facts.prizeYear = random.between(
      Math.max(prize.facts.awarded as number, bornIn(person) + 30),
      Math.min(1989, lastYear(person)),
    );
  }
}

function offices(builder: Builder): void {
  const { random } = builder;
  const politicians = random.shuffle(peopleOf(builder, 'politician'));
  for (const [index, country] of builder.ofKind('country').entries()) {
    const president = politicians[index];
    if (president) country.facts.president = president.id;
  }
  for (const [index, town] of random.shuffle(builder.ofKind('town')).entries()) {
    const mayor = politicians[index + 7];
    if (mayor) town.facts.mayor = mayor.id;
  }
  const explorers = peopleOf(builder, 'explorer');
  for (const mountain of builder.ofKind('mountain')) {
    const climbed = random.between(1720, 1955);
    const climber = active(builder, explorers, climbed);
    if (!climber) continue;
    mountain.facts.climbed = climbed;
    mountain.facts.climber = climber.id;
  }
}
