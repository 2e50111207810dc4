import { type Builder, type Draft, yearOf } from './builder.js';

/** Number of people, and the range of their birth years. */
const professions: Readonly<Record<string, readonly [count: number, first: number, last: number]>> = {
  writer: [140, 1640, 1945],
  painter: [80, 1600, 1930],
  composer: [60, 1650, 1940],
  naturalist: [70, 1640, 1920],
  explorer: [60, 1620, 1900],
  architect: [70, 1620, 1935],
  politician: [90, 1905, 1948],
  general: [50, 1560, 1880],
  director: [50, 1890, 1940],
  actor: [60, 1885, 1950],
  singer: [60, 1915, 1955],
  merchant: [70, 1600, 1920],
  professor: [60, 1880, 1945],
};

/** Universities are added later and choose their students then. */
export function buildPeople(builder: Builder): void {
  const { random, names } = builder;
  for (const [profession, [count, first, last]] of Object.entries(professions)) {
    const colleagues: Draft[] = [];
    for (let index = 0; index < count; index++) {
      const home = builder.any('town');
      const gender = random.chance(0.5) ? 'f' : 'm';
      const year = random.between(first, last);
      const person = builder.add('person', names.person(home.culture, gender), home.culture, {
        gender,
        profession,
        born: builder.date(year),
        birthplace: home.id,
        settled: year + random.between(16, 34),
      });
      const { facts } = person;
      if (year < 1935 && (year < 1900 || random.chance(0.6))) {
        facts.died = Math.min(1989, year + random.between(38, 88));
        facts.deathplace = builder.any('town').id;
      }
      const teacher = builder.find(colleagues, (other) => between(year - bornIn(other), 18, 45), 8);
      if (teacher && random.chance(0.7)) facts.teacher = teacher.id;
      colleagues.push(person);
    }
  }
  marry(builder);
}

export function bornIn({ facts }: Draft): number {
  return yearOf(facts.born as number);
}

export function between(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

export function peopleOf(builder: Builder, ...of: readonly string[]): readonly Draft[] {
  return builder.ofKind('person').filter(({ facts }) => of.includes(facts.profession as string));
}

function marry(builder: Builder): void {
  const { random } = builder;
  const people = builder.ofKind('person');
  for (const person of people) {
    if (person.facts.spouse !== undefined || !random.chance(0.5)) continue;
    const spouse = builder.find(
      people,
      (candidate) =>
        candidate !== person &&
        candidate.facts.spouse === undefined &&
        candidate.facts.gender !== person.facts.gender &&
        between(bornIn(candidate) - bornIn(person), -12, 12),
    );
    if (!spouse) continue;
    person.facts.spouse = spouse.id;
    spouse.facts.spouse = person.id;
  }
}
