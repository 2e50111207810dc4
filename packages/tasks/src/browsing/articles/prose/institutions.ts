import type { Prose } from './prose.js';

export const university: Prose = [
  [
    [
      '{name} is a university in {town}.',
      '{name}, in {town}, is a university.',
      'The town of {town} is home to the {name}.',
    ],
    [
      'It was founded in {founded}.',
      'Its founding year is {founded}.',
      'Its doors opened in {founded}, the year of its foundation.',
    ],
    ['Its founder was {founder}.', 'It was founded by {founder}.', 'It owes its foundation to {founder}.'],
  ],
  'Teaching',
  [
    ['It has {students} students.', '{students} students are enrolled.', 'The number of its students is {students}.'],
    ['The rector is {rector}.', '{rector} is its rector.', 'It is led by {rector}, the rector.'],
    [
      'Its library is open day and night.',
      'Its botanical garden is the oldest of the country.',
      'The rowing club has lost the spring race nine times in a row.',
      'Law and medicine are its largest faculties.',
    ],
    [
      'It moved into its present building in {moved}.',
      'Its present building has been in use since {moved}, when it moved.',
      'It moved for the last time in {moved}.',
    ],
    [
      'Examinations are held in public.',
      'The bell over the gate calls to lectures.',
      'Its anatomy theatre can be visited.',
    ],
  ],
];

export const company: Prose = [
  [
    [
      '{name} is a company in {town} that makes {product}.',
      '{name} makes {product} in {town}.',
      'The company {name}, in {town}, is a maker of {product}.',
    ],
    [
      'It was founded in {founded}.',
      'It has existed since {founded}, when it was founded.',
      'Its papers give {founded} as the year of its foundation.',
    ],
    ['Its founder was {founder}.', '{founder} founded it.', 'The founder, {founder}, began in a rented cellar.'],
  ],
  'Business',
  [
    ['It has {employees} employees.', 'It gives work to {employees} people.', '{employees} people work for it.'],
    [
      'It has survived two bankruptcies.',
      'Its first workshop still stands.',
      'The family sold it long ago.',
      'Its sign is a red wheel.',
    ],
    [
      'It moved into its present building in {moved}.',
      'Its present building has been its home since {moved}, when it moved.',
      'It moved for the last time in {moved}.',
    ],
    [
      'Its goods are sold in many countries.',
      'A strike once lasted for a year.',
      'Apprentices learn here for four years.',
    ],
  ],
];

export const museum: Prose = [
  [
    [
      'The {name} is a museum in {town}.',
      '{name} is the name of the museum of {town}.',
      'The {name} in {town} is a museum of fine art.',
    ],
    ['It was opened in {opened}.', 'Its opening was in {opened}.', 'It has been open to the public since {opened}.'],
    [
      'The building was designed by {architect}.',
      '{architect} was the architect of the building.',
      'Its architect was {architect}.',
    ],
  ],
  'Visiting',
  [
    [
      'It has {visitors} visitors a year.',
      'Each year {visitors} people visit it.',
      'In a usual year it counts {visitors} visitors.',
    ],
    [
      'Admission is free on Sundays.',
      'The glass roof over the stairs leaks in autumn.',
      'A theft of six frames was never explained.',
      'Its café is better known than its sculptures.',
    ],
    [
      'It was extended in {extended}.',
      'A wing was added when it was extended in {extended}.',
      'Since it was extended in {extended} it has had a garden.',
    ],
    [
      'The guards know every picture by heart.',
      'Its cellar holds more than its halls.',
      'Photographs are not allowed.',
    ],
  ],
];

export const newspaper: Prose = [
  [
    [
      'The {name} is a newspaper in {town}.',
      'The {name} is printed in {town}.',
      'In {town} the newspaper is the {name}.',
    ],
    [
      'It was founded in {founded}.',
      'Its first number appeared in {founded}, the year in which it was founded.',
      'It goes back to {founded}, when it was founded.',
    ],
    ['Its editor is {editor}.', '{editor} is the editor.', 'It is edited by {editor}.'],
  ],
  'The paper',
  [
    [
      'It prints {copies} copies a day.',
      '{copies} copies leave the press each day.',
      'Its daily edition is {copies} copies.',
    ],
    [
      'Its weather reports are written in verse.',
      'It has no page for sports.',
      'The crossword is feared.',
      'It was banned twice.',
    ],
    [
      'It has been a daily paper since {daily}.',
      'In {daily} it became a daily paper.',
      'From {daily} on it was a daily paper.',
    ],
    [
      'Its letters page is read first.',
      'Its founders had been printers of hymn books.',
      'It is read on the left bank only.',
    ],
  ],
];

export const band: Prose = [
  [
    [
      '{name} are a band from {town} who play {genre}.',
      '{name} play {genre}; they come from {town}.',
      'From {town} come {name}, who are known for {genre}.',
    ],
    [
      'They were formed in {formed}.',
      'The band was formed in {formed}.',
      'They have played together since {formed}, when the band was formed.',
    ],
    ['Their singer is {singer}.', '{singer} sings.', 'The voice of the band is {singer}.'],
  ],
  'On stage',
  [
    [
      'Their drummer changes every year.',
      'They never recorded in a studio.',
      'They toured in an old bus.',
      'Their first concert was in a barn.',
    ],
    ['They split up in {split}.', 'The band split up in {split}.', 'In {split} they split up.'],
    [
      'Their hats became a fashion.',
      'They never played the same song twice in an evening.',
      'Critics did not like them at first.',
    ],
  ],
];

export const bridge: Prose = [
  [
    [
      'The {name} leads across the {crosses} in {town}.',
      'The {name} is a bridge in {town} over the {crosses}.',
      'In {town} the {name} spans the {crosses}.',
    ],
    [
      'It was opened in {opened}.',
      'Its opening was in {opened}.',
      'The first carts crossed it when it was opened in {opened}.',
    ],
  ],
  'Building',
  [
    ['It is {span} m long.', 'Its length is {span} m.', 'From bank to bank it measures {span} m.'],
    ['Its architect was {architect}.', 'It was designed by {architect}.', '{architect} designed it.'],
    [
      'A toll was taken on it for many years.',
      'Its lamps were given by a brewer.',
      'It was closed after a flood and repaired.',
      'Swallows nest under its arches.',
    ],
    [
      'It was rebuilt in {rebuilt}.',
      'In {rebuilt} it was rebuilt.',
      'Its present form is of {rebuilt}, when it was rebuilt.',
    ],
    ['Children fish from it.', 'It hums in the wind.', 'Lovers fix locks to its railings.'],
  ],
];

export const prize: Prose = [
  [
    ['The {name} is a prize for {field}.', 'The {name} is given for {field}.', 'For {field} there is the {name}.'],
    ['It is named after {namesake}.', 'It bears the name of {namesake}.', 'Its name recalls {namesake}.'],
    ['It is given by the {giver}.', 'The {giver} gives it each spring.', 'It comes from the {giver}.'],
    ['It was first given in {awarded}.', 'The first award was in {awarded}.', 'It has been given since {awarded}.'],
    [
      '{money} pieces of gold come with it.',
      'It comes with {money} pieces of gold.',
      'The winner takes home {money} pieces of gold.',
    ],
    ['Speeches are limited to one minute.', 'The jury meets in secret.', 'Nobody has won it a second time.'],
  ],
  [['The winner gets a medal and a dinner.', 'The money is said to be modest.', 'Twice it was refused.']],
];

export const festival: Prose = [
  [
    [
      'The {name} takes place in {town}.',
      'The {name} is a festival in {town}.',
      'Each year {town} is the place of the {name}.',
    ],
    [
      'It was founded in {founded}.',
      'It has existed since {founded}, when it was founded.',
      'Its founding year is {founded}.',
    ],
    ['It is held in {month}.', 'Its month is {month}.', 'Visitors come for it in {month}.'],
    ['Its founder was {founder}.', 'It was founded by {founder}.', '{founder} founded it.'],
  ],
  'Programme',
  [
    [
      'There is music in every courtyard.',
      'It ends with fireworks.',
      'Tickets are given away by lot.',
      'A parade of lanterns opens it.',
    ],
    [
      'The last one had {guests} guests.',
      '{guests} guests came to the last one.',
      'At the last one {guests} guests were counted.',
    ],
    ['Half of the town rents out its beds.', 'The mayor has to sing.', 'The food is said to be better than the music.'],
  ],
];
