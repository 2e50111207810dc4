import type { Split } from '@gyre/protocol';

const list = (text: string): readonly string[] => text.split(' ');

/** Words in titles of works, each in one split only. */
export const titleWords: Readonly<
  Record<Split, { readonly adjectives: readonly string[]; readonly nouns: readonly string[] }>
> = {
  train: {
    adjectives: list(
      'Amber Bitter Broken Copper Crimson Distant Empty Forgotten Frozen Golden Hidden Hollow Last Lonely Lost Narrow Patient ' +
        'Quiet Restless Scarlet Secret Seventh Silent Sleeping Stolen Stubborn Sunken Tall Unwritten Wandering',
    ),
    nouns: list(
      'Anchor Apprentice Ballad Beacon Bell Bridge Candle Cartographer Chapel Clockmaker Compass Crossing Dancer Daughter Door ' +
        'Engraver Ferry Fiddle Flood Fog Garden Gate Glassblower Harbour Harvest Heron House Inheritance Island Juggler Key ' +
        'Lantern Ledger Letter Lighthouse Loom Mapmaker Meadow Mirror Miller Nightingale Oath Orchard Painter Passenger Pilgrim ' +
        'Postman Promise Quarry Raven River Road Sailor Shadow Shepherd Silence Sister Snow Stranger Summer Tailor Tide Tower ' +
        'Traveller Voyage Watchman Weaver Widow Window Winter',
    ),
  },
  dev: {
    adjectives: list('Burning Drowned Eager Faded Gentle Hungry Nameless Painted Proud Second Tired Velvet'),
    nouns: list(
      'Alchemist Archive Barge Beekeeper Carnival Cellar Courier Echo Falcon Fountain Gardener Hermit Inn Jester Kite Librarian ' +
        'Market Mask Notary Oracle Parade Ribbon Saddle Theatre Umbrella Vineyard',
    ),
  },
  test: {
    adjectives: list(
      'Ancient Blue Careless Divided Early Fragile Grey Hasty Invisible Jealous Keen Late Midnight Naked Obedient Pale Reluctant ' +
        'Simple Tender Upturned',
    ),
    nouns: list(
      'Actor Balcony Blacksmith Canal Chandelier Cousin Desert Duel Envoy Farewell Feather Gambler Guest Horizon Hour Innkeeper ' +
        'Judge Kingfisher Knife Lodger Machine Merchant Needle Neighbour Nephew Ocean Organist Palace Quarrel Rival Saffron ' +
        'Swimmer Telegram Trumpet Uncle Visitor Wager Wheel Witness Yard',
    ),
  },
};
