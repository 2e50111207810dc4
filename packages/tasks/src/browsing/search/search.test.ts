import { expect, test } from 'vitest';
import { SearchIndex } from './search.js';

const documents = [
  { title: 'Orlen', pieces: ['The Orlen is a river.', 'It flows past Velmar.'] },
  { title: 'Velmar', pieces: ['Velmar is a town on the Orlen.', 'Velmar has a market.', 'Rain is common.'] },
  { title: 'Market', pieces: ['A market is a place.', 'Markets are held in towns.'] },
];
const index = new SearchIndex(documents);
const order = (query: string) => index.search(query).map(({ document }) => document);

test('puts the document of that title first', () => {
  expect(order('Orlen')).toEqual([0, 1]);
  expect(order('velmar')).toEqual([1, 0]);
  expect(order('VELMAR market')).toEqual([1, 2, 0]);
});

test('finds plurals by singulars and the other way round', () => {
  expect(order('rivers')).toEqual([0]);
  expect(order('towns').sort()).toEqual([1, 2]);
});

test('finds nothing by words that are nowhere or everywhere', () => {
  expect(order('lake')).toEqual([]);
  expect(order('the of is')).toEqual([]);
  expect(order('')).toEqual([]);
});

test('counts a rare word for more than a common one, and scores by Okapi BM25', () => {
  const equal = new SearchIndex([
    { title: 'one', pieces: ['common rare'] },
    { title: 'two', pieces: ['common common'] },
    { title: 'six', pieces: ['common other'] },
  ]);
  const [first] = equal.search('common rare');
  expect(first?.document).toBe(0);
  // Equal lengths cancel out: idf times tf (k1 + 1) / (tf + k1) with tf 1 is the idf.
  expect(equal.search('rare')[0]?.score).toBeCloseTo(Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5)), 12);
  const twice = equal.search('common').find(({ document }) => document === 1);
  expect(twice?.score).toBeCloseTo((Math.log(1 + (3 - 3 + 0.5) / (3 + 0.5)) * (2 * 2.2)) / (2 + 1.2), 12);
});
