import type { Prose } from './prose.js';

export const country: Prose = [
  [
    [
      '{name} is a country whose capital is {capital}.',
      '{name} is a sovereign country governed from {capital}, its capital.',
    ],
    [
      'The head of state is {president}.',
      '{president} is its president.',
      'At present {president} holds the office of president.',
    ],
    [
      'Travellers praise the trains and complain about the coffee.',
      'The mountain railways are famous beyond its borders.',
      'Winters are long, and the summers are short and bright.',
    ],
  ],
  'History',
  [
    [
      'It has existed since {founded}, when the first assembly met.',
      'The state was founded in {founded}.',
      'Its history begins in {founded}, the year in which it was founded.',
    ],
    [
      'For a long time the great landowners ruled it.',
      'Its early kings are known only from coins.',
      'Twice it lost its northern valleys and won them back.',
    ],
    [
      'Its constitution dates from {constitution}.',
      'In {constitution} it got its constitution.',
      'The constitution of {constitution} is still in force.',
    ],
    [
      'The assembly sits in a former riding school.',
      'Voting is a duty, and those who stay away pay a small fine.',
      'The old families have kept their titles, but nothing else.',
    ],
  ],
  'People and trade',
  [
    [
      'Some {population} people live here.',
      'The last census counted {population} inhabitants.',
      'It has {population} inhabitants.',
    ],
    ['They pay with the {currency}.', 'The currency is the {currency}.', 'Prices are given in {currency}.'],
    [
      'The official language is {language}.',
      'Its people speak {language}.',
      '{language} is spoken everywhere and taught in every school.',
    ],
    [
      'Timber, wool and clocks are sold abroad.',
      'Most of its salt comes from one mine.',
      'Its orchards feed half of its neighbours.',
    ],
  ],
];

export const region: Prose = [
  [
    [
      '{name} is a region in the {side} of {country}.',
      '{name} lies in the {side} of {country}.',
      'In the {side} of {country} lies the region of {name}.',
    ],
    ['It is governed from {seat}.', 'The seat of its government is {seat}.', 'Its council meets at {seat}.'],
  ],
  'Landscape',
  [
    ['It covers {area} km².', 'Its area is {area} km².', 'From border to border it measures {area} km².'],
    [
      'Most of it is farmland, with orchards along the rivers.',
      'Half of it is covered by forest.',
      'It is known for its cheese and for its stubborn people.',
      'Old stone walls run between the fields.',
    ],
    [
      'Its dialect is hard to follow for outsiders.',
      'Wool was its first trade, and timber came later.',
      'Every village has its own well, and most have their own brass band.',
    ],
    ['Snow lies on the heights until May.', 'Storms come from the east.', 'The valleys are mild enough for wine.'],
  ],
];

export const town: Prose = [
  [
    [
      '{name} is a town in the region of {region}.',
      'The town of {name} lies in {region}.',
      '{name} is one of the towns of {region}.',
    ],
    [
      'It stands on the {river}.',
      'The river {river} flows past its walls.',
      'It grew up around a ford of the {river}.',
    ],
    [
      'On Saturdays there is a market.',
      'Its bakers are proud of a dark bread with caraway.',
      'Rain falls on every second day of the year.',
    ],
  ],
  'History',
  [
    [
      'It was founded in {founded}.',
      'A charter of {founded} is taken for its foundation.',
      'Its founding is dated to {founded}.',
    ],
    ['Its walls were built in {walled}.', 'In {walled} it was given walls.', 'The walls, of {walled}, had four gates.'],
    [
      'Merchants built the oldest houses around the square.',
      'Salt and cloth made it rich.',
      'The town hall was paid for with the salt tax.',
      'A bishop lived here for some time.',
    ],
    [
      'It burnt down in {burnt}.',
      'A fire destroyed most of it in {burnt}.',
      'The great fire of {burnt} left only the church.',
    ],
    [
      'It was rebuilt in brick.',
      'Straw roofs were forbidden after that.',
      'Widows were given the first of the new houses.',
    ],
    [
      'The railway arrived in {railway}.',
      'Trains have come here since {railway}.',
      'In {railway} it got its railway station.',
    ],
  ],
  'Today',
  [
    [
      'It has {population} inhabitants.',
      'The town is home to {population} people.',
      'At the last count {population} people lived here.',
    ],
    [
      'The market place lies {elevation} m above the sea.',
      'Its height above the sea is {elevation} m.',
      'The church door is exactly {elevation} m above sea level.',
    ],
    ['{mayor} is the mayor.', 'The town is led by {mayor}, the mayor.', 'The office of mayor is held by {mayor}.'],
    ['Its twin town is {twin}.', 'It is twinned with {twin}.', 'A partnership links it with its twin town, {twin}.'],
    [
      'The old tram was taken out of service and is missed.',
      'A new swimming bath has been promised for years.',
      'The station clock is always two minutes fast.',
    ],
  ],
];

export const river: Prose = [
  [
    [
      'The {name} is a river in the region of {region}.',
      'The {name} flows through {region}.',
      '{name} is the name of a river in {region}.',
    ],
    [
      'Herons nest on its sandbanks.',
      'Its floods were feared every spring.',
      'A path for walkers follows it from end to end.',
    ],
  ],
  'Course',
  [
    ['It rises on {source}.', 'Its source lies high on {source}.', 'Its first spring is on the slopes of {source}.'],
    [
      'It runs through a narrow gorge first, and then through meadows.',
      'Its upper course is a chain of waterfalls.',
      'Below the hills it splits and joins again.',
    ],
    [
      'After {length} km it flows into {mouth}.',
      'It reaches {mouth} after {length} km.',
      'It is {length} km long and ends in {mouth}.',
    ],
  ],
  'Use',
  [
    [
      'Mills once stood along the whole of its middle course.',
      'Timber was floated on it.',
      'Barges used it until the railway came.',
    ],
    [
      'It was regulated in {regulated}.',
      'Its banks were straightened when it was regulated in {regulated}.',
      'Since it was regulated in {regulated} it has not left its bed.',
    ],
    ['Its water is cold even in August.', 'Trout are caught in its upper reaches.', 'It is too shallow for steamers.'],
  ],
];

export const mountain: Prose = [
  [
    [
      '{name} is a mountain in the region of {region}.',
      '{name} rises above the valleys of {region}.',
      'The mountain called {name} stands in {region}.',
    ],
    ['Its summit is {height} m high.', 'It is {height} m high.', 'It reaches {height} m.'],
    [
      'Fog hides it for most of the year.',
      'It can be seen from three countries.',
      'Its top is flat and often windless.',
    ],
  ],
  'Ascents',
  [
    [
      'Shepherds thought that its top belonged to the dead.',
      'Several attempts failed below the ridge.',
      'For long nobody saw a reason to climb it.',
    ],
    [
      '{climber} was the first to climb it, in {climbed}.',
      'It was first climbed in {climbed} by {climber}.',
      'Nobody stood on its top before {climber}, who did so in {climbed}.',
    ],
    [
      'Two guides and a dog came along.',
      'The summit book of that day is lost.',
      'The north face is still thought dangerous.',
    ],
    [
      'A hut was built below the ridge in {hut}.',
      'Since {hut} there has been a hut, which is open in summer.',
      'The hut below the ridge dates from {hut}.',
    ],
    ['Marble was quarried at its foot.', 'Eagles have come back to its cliffs.', 'Its slopes are grazed by goats.'],
  ],
];

export const lake: Prose = [
  [
    [
      '{name} is a lake in the region of {region}.',
      '{name} lies in {region}.',
      'The largest water of {region} is {name}.',
    ],
    [
      'In hard winters it freezes over.',
      'A steamer crosses it twice a day.',
      'Its fishermen speak of a great pike that nobody has seen twice.',
    ],
  ],
  'Water',
  [
    ['It covers {area} km².', 'Its surface measures {area} km².', 'Its area is {area} km².'],
    [
      'It is {depth} m deep.',
      'At its deepest point it measures {depth} m.',
      'The plumb line finds ground at {depth} m.',
    ],
    [
      'It was surveyed in {surveyed}.',
      'The survey was made in {surveyed}.',
      'In {surveyed} it was surveyed for the first time.',
    ],
    [
      'Reeds fill its shallow end.',
      'Its shores are lined with summer houses.',
      'It has been a reserve for birds for many years.',
    ],
  ],
];

export const island: Prose = [
  [
    ['{name} is an island in {lake}.', 'The island of {name} lies in {lake}.', 'In {lake} lies the island of {name}.'],
    ['The ferry does not run in storms.', 'Monks once kept bees here.', 'Cars are not allowed on it.'],
  ],
  'Life on the island',
  [
    ['It has an area of {area} km².', 'It covers {area} km².', 'All of it measures {area} km².'],
    [
      'Its {population} inhabitants live by fishing.',
      'It has {population} inhabitants.',
      'In all {population} people live on it.',
    ],
    [
      'The lighthouse was built in {lighthouse}.',
      'Since {lighthouse} a lighthouse has stood at its northern end.',
      'Its lighthouse dates from {lighthouse}.',
    ],
    ['The keeper plays the cello.', 'Its only shop sells boots and postcards.', 'The school has six pupils.'],
  ],
];
