import type { Prose } from './prose.js';

export const person: Prose = [
  [
    [
      '{name} was {a profession} from {birthplace}.',
      '{name} was {a profession} whose birthplace is {birthplace}.',
      '{name} was born in {birthplace} and became {a profession}.',
    ],
    ['{He} was born on {born}.', '{His} date of birth is {born}.', '{He} came into the world on {born}.'],
    [
      '{He} died in {deathplace} in {died}.',
      'In {died} {he} died at {deathplace}.',
      '{His} life ended in {deathplace} in {died}.',
    ],
  ],
  'Early years',
  [
    [
      '{He} was the youngest of five children.',
      '{His} parents kept an inn.',
      'Little is known of {his} childhood.',
      '{He} learnt to read late.',
      '{His} first work was in a mill.',
    ],
    [
      '{He} left home for good in {settled}.',
      'In {settled} {he} left home for good.',
      'The year in which {he} left home for good was {settled}.',
    ],
    ['{He} was said to be shy.', 'A long illness made a reader of {short}.', 'Money was short in those years.'],
    [
      '{He} studied at the {school}.',
      '{His} university was the {school}.',
      'The years of study were spent at the {school}.',
    ],
    [
      '{His} teacher was {teacher}.',
      '{He} was a pupil of {teacher}.',
      '{teacher} was the teacher to whom {short} owed most.',
    ],
  ],
  'Later life',
  [
    ['{He} married {spouse}.', '{short} was married to {spouse}.', '{His} marriage to {spouse} was a happy one.'],
    [
      '{He} received the {prize} in {prizeYear}.',
      'In {prizeYear} {he} was given the {prize}.',
      'The {prize} was given to {short} in {prizeYear}.',
    ],
    [
      '{He} collected clocks.',
      '{He} kept a diary in cipher.',
      '{He} disliked travelling.',
      '{His} letters fill four volumes.',
      'A street is named after {short} in many towns.',
    ],
    [
      '{He} was hard to talk to in the mornings.',
      '{He} owned eleven umbrellas.',
      '{He} never answered a letter on the day on which it came.',
    ],
  ],
];
