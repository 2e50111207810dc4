import { type RelationPlan, entity, number, word, year } from './plan.js';

export const events = {
  place: entity(
    'Place',
    {
      noun: 'the town that was fought over in {x}',
      that: 'was fought near a town that {that}',
      listed: '{Kinds} nearby',
    },
    'Near which town was {x} fought?',
    'Which town was {x} fought over?',
  ),
  fought: year('Year', 'was fought', 'In which year was {x} fought?', 'What is the year of {x}?'),
  victor: entity(
    'Victor',
    { noun: 'the victor of {x}', that: 'was won by someone who {that}', listed: '{Kinds} won' },
    'Who won {x}?',
    'Name the victor of {x}.',
  ),
  loser: entity(
    'Defeated',
    { noun: 'the loser of {x}', that: 'was lost by someone who {that}', listed: '{Kinds} lost' },
    'Who was beaten in {x}?',
    'Which general lost {x}?',
  ),
  leader: entity(
    'Leader',
    { noun: 'the leader of {x}', that: 'was led by someone who {that}', listed: '{Kinds} led' },
    'Who led {x}?',
    'Name the leader of {x}.',
  ),
  setOut: year('Set out', 'set out', 'In which year did {x} set out?', 'What is the year of departure of {x}?'),
  goal: entity(
    'Goal',
    {
      noun: 'the island that was the goal of {x}',
      that: 'made for an island that {that}',
      listed: '{Kinds} to the island',
    },
    'Which island did {x} make for?',
    'What island was the goal of {x}?',
  ),
  sponsor: entity(
    'Paid for by',
    {
      noun: 'the company that paid for {x}',
      that: 'was paid for by a company that {that}',
      listed: '{Kinds} paid for',
    },
    'Which company paid for {x}?',
    'Name the company that paid for {x}.',
  ),
  members: number(
    'Members',
    '',
    'had {v} members',
    'How many members had {x}?',
    'What is the number of members of {x}?',
  ),
  type: word('Kind', 'is {a v}'),
  describer: entity(
    'Described by',
    {
      noun: 'the naturalist who first described {x}',
      that: 'was first described by someone who {that}',
      listed: '{Kinds} described',
    },
    'Who first described {x}?',
    'Name the naturalist who first described {x}.',
  ),
  described: year(
    'Described in',
    'was first described',
    'In which year was {x} first described?',
    'What is the year of the first description of {x}?',
  ),
  habitat: entity(
    'Lives in',
    { noun: 'the region that is home to {x}', that: 'lives in a region that {that}', listed: '{Kinds} found here' },
    'Which region is home to {x}?',
    'In which region is {x} found?',
  ),
} satisfies Record<string, RelationPlan>;
