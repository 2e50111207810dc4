import type { Builder } from './builder.js';
import { active } from './institutions.js';
import { between, bornIn, peopleOf } from './people.js';

const bookGenres = ['satire', 'adventure', 'mystery', 'romance', 'travel', 'poetry', 'history'];
const types = ['finch', 'beetle', 'orchid', 'moth', 'fern', 'trout', 'lizard', 'owl'];

export function buildWorks(builder: Builder): void {
  books(builder);
  films(builder);
  songs(builder);
  paintings(builder);
  battles(builder);
  expeditions(builder);
  species(builder);
}

function books(builder: Builder): void {
  const { random, names } = builder;
  const writers = peopleOf(builder, 'writer');
  const presses = builder.ofKind('company').filter(({ facts }) => facts.product === 'books');
  for (let index = 0; index < 230; index++) {
    const author = random.pick(writers);
    const published = Math.min(
      1988,
      bornIn(author) + random.between(24, 62),
      (author.facts.died as number | undefined) ?? 1988,
    );
    const publisher = builder.find(presses, ({ facts }) => (facts.founded as number) <= published);
    const setting = builder.any('town');
    builder.add('book', names.title(setting.name), author.culture, {
      author: author.id,
      published,
      genre: random.pick(bookGenres),
      setting: setting.id,
      ...(publisher && { publisher: publisher.id }),
      pages: random.between(84, 912),
      translated: Math.min(1990, published + random.between(1, 40)),
    });
  }
}

function films(builder: Builder): void {
  const { random, names } = builder;
  const [directors, actors, composers] = [
    peopleOf(builder, 'director'),
    peopleOf(builder, 'actor'),
    peopleOf(builder, 'composer'),
  ];
  for (let index = 0; index < 150; index++) {
    const released = random.between(1924, 1988);
    const [director, lead] = [active(builder, directors, released), active(builder, actors, released)];
    if (!director || !lead) continue;
    const music = active(builder, composers, released);
    const based = random.chance(0.6)
      ? builder.find(builder.ofKind('book'), ({ facts }) => (facts.published as number) < released)
      : undefined;
    const setting = builder.any('town');
    builder.add('film', names.title(setting.name), director.culture, {
      director: director.id,
      released,
      lead: lead.id,
      setting: setting.id,
      ...(music && { music: music.id }),
      ...(based && { based: based.id }),
      minutes: random.between(64, 204),
      restored: random.between(released + 1, 1990),
    });
  }
}

function songs(builder: Builder): void {
  const { random, names } = builder;
  for (let index = 0; index < 130; index++) {
    const performer = builder.any('band');
    const about = builder.any('river');
    builder.add('song', names.title(about.name), performer.culture, {
      performer: performer.id,
      released: Math.min(1989, (performer.facts.formed as number) + random.between(0, 14)),
      about: about.id,
      minutes: random.between(2, 9),
      sold: builder.number(900, 800_000),
    });
  }
}

function paintings(builder: Builder): void {
  const { random, names } = builder;
  const painters = peopleOf(builder, 'painter');
  for (let index = 0; index < 110; index++) {
    const painter = random.pick(painters);
    const depicts = builder.any('mountain');
    const museum = builder.any('museum');
    const painted = Math.min(
      (painter.facts.died as number | undefined) ?? 1985,
      bornIn(painter) + random.between(20, 60),
    );
    builder.add('painting', names.title(depicts.name), painter.culture, {
      painter: painter.id,
      painted,
      museum: museum.id,
      acquired: Math.min(1989, Math.max(painted, museum.facts.opened as number) + random.between(0, 60)),
      depicts: depicts.id,
    });
  }
}

function battles(builder: Builder): void {
  const { random } = builder;
  const generals = peopleOf(builder, 'general');
  for (const town of random.shuffle(builder.ofKind('town')).slice(0, 55)) {
    const fought = random.between(1590, 1930);
    const victor = active(builder, generals, fought, 80);
    const loser =
      victor && builder.find(generals, (other) => other !== victor && between(fought - bornIn(other), 20, 75), 80);
    if (!victor || !loser) continue;
    builder.add('battle', `Battle of ${town.name}`, town.culture, {
      place: town.id,
      fought,
      dead: random.between(40, 9_000),
      victor: victor.id,
      loser: loser.id,
    });
  }
}

function expeditions(builder: Builder): void {
  const { random, names } = builder;
  const explorers = peopleOf(builder, 'explorer');
  for (let index = 0; index < 60; index++) {
    const leader = random.pick(explorers);
    const latest = (leader.facts.died as number | undefined) ?? 1985;
    const setOut = Math.min(bornIn(leader) + random.between(22, 50), latest);
    const sponsor = builder.find(builder.ofKind('company'), ({ facts }) => (facts.founded as number) < setOut);
    builder.add('expedition', `${names.word(leader.culture, 'thing')} Expedition`, leader.culture, {
      leader: leader.id,
      setOut,
      goal: builder.any('island').id,
      ...(sponsor && { sponsor: sponsor.id }),
      members: random.between(4, 160),
      returned: setOut + random.between(1, 5),
    });
  }
}

function species(builder: Builder): void {
  const { random, names } = builder;
  const naturalists = peopleOf(builder, 'naturalist');
  for (let index = 0; index < 130; index++) {
    const describer = random.pick(naturalists);
    const type = random.pick(types);
    const region = builder.any('region');
    builder.add('species', `${names.word(region.culture, 'thing')} ${type}`, region.culture, {
      type,
      describer: describer.id,
      described: Math.min(
        1988,
        bornIn(describer) + random.between(24, 55),
        (describer.facts.died as number | undefined) ?? 1988,
      ),
      habitat: region.id,
      size: random.between(4, 900),
    });
  }
}
