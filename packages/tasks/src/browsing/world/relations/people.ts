import { type RelationPlan, entity, word, year } from './plan.js';

export const people = {
  gender: word('Gender', 'is {v}'),
  profession: word('Profession', 'was {a v}'),
  born: {
    value: 'date',
    label: 'Born',
    ask: ['On which day was {x} born?', 'When was {x} born?', 'What is the date of birth of {x}?'],
    that: 'was born {v}',
  },
  birthplace: entity(
    'Birthplace',
    { noun: 'the birthplace of {x}', that: 'was born in a town that {that}', listed: 'Born here' },
    'In which town was {x} born?',
    'What is the birthplace of {x}?',
  ),
  died: year('Died', 'died', 'In which year did {x} die?', 'What is the year of death of {x}?'),
  deathplace: entity(
    'Place of death',
    { noun: 'the place of death of {x}', that: 'died in a town that {that}', listed: 'Died here' },
    'In which town did {x} die?',
    'What is the place of death of {x}?',
  ),
  school: entity(
    'Studied at',
    { noun: 'the university of {x}', that: 'studied at a university that {that}', listed: 'Studied here' },
    'At which university did {x} study?',
    'Which university taught {x}?',
  ),
  teacher: entity(
    'Teacher',
    { noun: 'the teacher of {x}', that: 'was taught by someone who {that}', listed: 'Pupils' },
    'Who taught {x}?',
    'Name the teacher of {x}.',
  ),
  spouse: entity(
    'Married to',
    { noun: 'the spouse of {x}', that: 'was married to someone who {that}' },
    'To whom was {x} married?',
    'Name the spouse of {x}.',
  ),
  prize: entity(
    'Prize',
    { noun: 'the prize that went to {x}', that: 'received a prize that {that}', listed: 'Given to' },
    'Which prize did {x} receive?',
    'What is the prize given to {x} called?',
  ),
  prizeYear: year(
    'Prize in',
    'received a prize',
    'In which year did {x} receive a prize?',
    'What is the year in which a prize went to {x}?',
  ),
} satisfies Record<string, RelationPlan>;
