import type { Prose } from './prose.js';

export const book: Prose = [
  [
    ['“{name}” is a book by {author}.', '“{name}” was written by {author}.', '{author} is the author of “{name}”.'],
    [
      'It was published in {published}.',
      'It first appeared in {published}.',
      'Its year of publication is {published}.',
    ],
    ['Its publisher was {publisher}.', '{publisher} published it.', 'It came out at {publisher}.'],
  ],
  'Contents',
  [
    ['It belongs to the genre of {genre}.', 'Its genre is {genre}.', 'Critics count it as {genre}.'],
    ['The story is set in {setting}.', 'It takes place in {setting}.', 'Its scene is {setting}.'],
    ['The first edition has {pages} pages.', 'It has {pages} pages.', 'It runs to {pages} pages.'],
    [
      'A sequel was planned and never written.',
      'The manuscript is lost.',
      'It was translated nine times.',
      'Its last chapter caused a scandal.',
    ],
    [
      'It was first translated in {translated}.',
      'The first translation is of {translated}.',
      'In {translated} it was first translated.',
    ],
    ['Its characters were drawn from life.', 'It is read in schools.', 'Its first readers took it for a true report.'],
  ],
];

export const film: Prose = [
  [
    [
      '“{name}” is a film by the director {director}.',
      '“{name}” was directed by {director}.',
      '{director} directed the film “{name}”.',
    ],
    ['It was released in {released}.', 'Its release was in {released}.', 'It reached the cinemas in {released}.'],
    [
      'It is based on the book “{based}”.',
      'The book “{based}” is its source.',
      'Its story comes from the book “{based}”.',
    ],
  ],
  'Production',
  [
    ['The leading part is played by {lead}.', '{lead} plays the leading part.', 'In the leading part it shows {lead}.'],
    ['It is set in {setting}.', 'Its scene is {setting}.', 'It takes place in {setting}.'],
    ['The music is by {music}.', '{music} wrote the music.', 'Its music was composed by {music}.'],
    ['It is {minutes} minutes long.', 'It lasts {minutes} minutes.', 'Its length is {minutes} minutes.'],
    [
      'The first night was a failure.',
      'A reel was burnt and filmed again.',
      'It was made in eleven days.',
      'Its snow is made of feathers.',
    ],
    ['It was restored in {restored}.', 'A restored copy was made in {restored}.', 'In {restored} it was restored.'],
    ['It was banned in two countries.', 'One scene took forty takes.', 'Its posters are collected.'],
  ],
];

export const song: Prose = [
  [
    ['“{name}” is a song by {performer}.', '“{name}” is performed by {performer}.', '{performer} perform “{name}”.'],
    ['It was released in {released}.', 'It came out in {released}.', 'Its release was in {released}.'],
    ['It is about the river {about}.', 'It sings of the river {about}.', 'Its subject is the river {about}.'],
    ['It is {minutes} minutes long.', 'It lasts {minutes} minutes.', 'Its length is {minutes} minutes.'],
    ['{sold} records of it were sold.', 'It sold {sold} records.', 'The number of records sold is {sold}.'],
    [
      'A brass version is better known.',
      'It is forbidden to whistle it in the mines.',
      'Its second verse is often left out.',
    ],
  ],
  [['Its refrain has no words.', 'It was recorded in one evening.', 'It was played at weddings for years.']],
];

export const painting: Prose = [
  [
    [
      '“{name}” is a painting by {painter}.',
      '“{name}” was painted by {painter}.',
      '{painter} is the painter of “{name}”.',
    ],
    ['It was painted in {painted}.', 'It is dated {painted}.', 'It was finished in {painted}.'],
    ['It shows {depicts}.', '{depicts} is to be seen on it.', 'Its subject is {depicts}.'],
    ['It hangs in the {museum}.', 'The {museum} owns it and shows it.', 'It is shown in the {museum}.'],
  ],
  'The picture',
  [
    [
      'A copy was sold as the original for years.',
      'Its frame is older than the picture.',
      'It was cleaned and turned out to be blue.',
      'On the back there is a shopping list.',
    ],
    [
      'The museum bought it in {acquired}.',
      'It was bought for the museum in {acquired}.',
      'It has belonged to the museum since {acquired}, when it was bought.',
    ],
    [
      'It is larger than it looks in books.',
      'A thief once got as far as the stairs with it.',
      'The light in it comes from the left.',
    ],
  ],
];

export const battle: Prose = [
  [
    [
      'The {name} was fought near {place} in {fought}.',
      'In {fought} the {name} was fought near {place}.',
      'Near {place}, the {name} took place in {fought}.',
    ],
    [
      '{victor} won it against {loser}.',
      'The victor was {victor}; {loser} was beaten.',
      'It was lost by {loser} and won by {victor}.',
    ],
  ],
  'Course and outcome',
  [
    ['It was over before noon.', 'Mud decided it.', 'A chapel marks the field.', 'Both sides ran out of powder.'],
    [
      'It is played again by enthusiasts every year.',
      'The peace that followed did not last.',
      'It is taught in every school.',
    ],
    ['It cost {dead} lives.', '{dead} soldiers died.', 'The number of the dead is given as {dead}.'],
    ['A song about it is still sung.', 'The winner was late for it.', 'Its field is now an orchard.'],
  ],
];

export const expedition: Prose = [
  [
    ['The {name} was led by {leader}.', '{leader} led the {name}.', 'The leader of the {name} was {leader}.'],
    ['It set out in {setOut}.', 'Its departure was in {setOut}.', 'It left in {setOut}.'],
    [
      'Its goal was the island of {goal}.',
      'It made for the island of {goal}.',
      'It wanted to reach the island of {goal}.',
    ],
  ],
  'Course',
  [
    ['It had {members} members.', '{members} people took part.', 'It counted {members} members.'],
    ['It was paid for by {sponsor}.', '{sponsor} paid for it.', 'The money came from {sponsor}.'],
    [
      'It lost its boats in the first week.',
      'Its diaries were published much later.',
      'It lived on biscuits and tea.',
      'It came back a year late.',
    ],
    ['It came back in {returned}.', 'Its return was in {returned}.', 'In {returned} it came back.'],
    ['Its maps were used for a century.', 'Its cook wrote the better book.', 'It named three bays after its dogs.'],
  ],
];

export const species: Prose = [
  [
    ['The {name} is {a type}.', '{name} is the name of {a type}.', 'The {name} is a species, {a type}.'],
    ['It lives in {habitat}.', 'It is found in {habitat}.', 'Its home is {habitat}.'],
    [
      'It was first described by {describer} in {described}.',
      '{describer} first described it in {described}.',
      'The first description is of {described} and by {describer}.',
    ],
  ],
  'Description',
  [
    ['It is seldom seen.', 'It prefers wet meadows.', 'It is active at night.', 'Farmers call it a bringer of rain.'],
    ['Its numbers are falling.', 'It is protected by law.', 'A stamp shows it.'],
    ['It measures {size} mm.', 'Its size is {size} mm.', 'Full-grown it measures {size} mm.'],
    ['Its Latin name is disputed.', 'Collectors used to pay well for it.', 'It is easily mistaken for its relatives.'],
  ],
];
