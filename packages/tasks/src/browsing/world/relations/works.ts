import { type RelationPlan, entity, number, word, year } from './plan.js';

export const works = {
  author: entity(
    'Author',
    { noun: 'the author of {x}', that: 'was written by someone who {that}', listed: '{Kinds} by {x}' },
    'Who wrote {x}?',
    'Name the author of {x}.',
  ),
  published: year(
    'Published',
    'was published',
    'In which year was {x} published?',
    'What is the year of publication of {x}?',
  ),
  genre: word('Genre', 'belongs to the genre {v}', 'What is the genre of {x}?', 'To which genre does {x} belong?'),
  setting: entity(
    'Set in',
    { noun: 'the town that is the scene of {x}', that: 'is set in a town that {that}', listed: '{Kinds} set here' },
    'In which town is {x} set?',
    'Which town is the setting of {x}?',
  ),
  publisher: entity(
    'Publisher',
    {
      noun: 'the company that published {x}',
      that: 'was published by a company that {that}',
      listed: '{Kinds} published',
    },
    'Which company published {x}?',
    'Name the publisher of {x}.',
  ),
  pages: number('Pages', '', 'has {v} pages', 'How many pages has {x}?', 'What is the number of pages of {x}?'),
  director: entity(
    'Director',
    { noun: 'the director of {x}', that: 'was directed by someone who {that}', listed: '{Kinds} directed' },
    'Who directed {x}?',
    'Name the director of {x}.',
  ),
  released: year('Released', 'was released', 'In which year was {x} released?', 'What is the year of release of {x}?'),
  based: entity(
    'Based on',
    {
      noun: 'the book that was the source of {x}',
      that: 'is based on a book that {that}',
      listed: '{Kinds} based on it',
    },
    'On which book is {x} based?',
    'Which book was made into {x}?',
  ),
  lead: entity(
    'Leading part',
    {
      noun: 'the actor in the leading part of {x}',
      that: 'has an actor in the leading part who {that}',
      listed: 'Leading parts',
    },
    'Who plays the leading part in {x}?',
    'Name the actor in the leading part of {x}.',
  ),
  music: entity(
    'Music',
    { noun: 'the composer of the music of {x}', that: 'has music by someone who {that}', listed: 'Music for films' },
    'Who wrote the music of {x}?',
    'Name the composer of the music of {x}.',
  ),
  minutes: number(
    'Minutes',
    '',
    'is {v} minutes long',
    'How many minutes long is {x}?',
    'What is the length, in minutes, of {x}?',
  ),
  performer: entity(
    'Performed by',
    { noun: 'the performer of {x}', that: 'is performed by a band that {that}', listed: '{Kinds}' },
    'Who performs {x}?',
    'By whom is {x} performed?',
  ),
  about: entity(
    'About',
    { noun: 'the river that is sung of in {x}', that: 'is about a river that {that}', listed: '{Kinds} about it' },
    'Which river is {x} about?',
    'Of which river does {x} sing?',
  ),
  painter: entity(
    'Painter',
    { noun: 'the painter of {x}', that: 'was painted by someone who {that}', listed: '{Kinds} by {x}' },
    'Who painted {x}?',
    'Name the painter of {x}.',
  ),
  painted: year('Painted', 'was painted', 'In which year was {x} painted?', 'What is the year of origin of {x}?'),
  museum: entity(
    'Hangs in',
    { noun: 'the museum that shows {x}', that: 'hangs in a museum that {that}', listed: '{Kinds} shown' },
    'In which museum does {x} hang?',
    'Which museum shows {x}?',
  ),
  depicts: entity(
    'Shows',
    { noun: 'the mountain on {x}', that: 'shows a mountain that {that}', listed: '{Kinds} of the mountain' },
    'Which mountain is to be seen on {x}?',
    'What is the mountain on {x} called?',
  ),
} satisfies Record<string, RelationPlan>;
