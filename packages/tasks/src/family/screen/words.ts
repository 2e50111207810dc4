import type { Split } from '@gyre/protocol';

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Common words of 2 to 7 letters, each in one split only: test words are unseen in training. */
export const words: Readonly<Record<Split, readonly string[]>> = {
  train: list(`
    accept account acid actor add admin adult alarm album ant apply archive art atlas attach author autumn
    baby backup badge bag baker banana barn basket bath beach bean bear bee belt bench berry bike bill bingo
    bird blanket block boat bonus boot bottle box brand brick bridge brush bubble bucket burger bus buy cabin
    cable cactus call camel camera cancel candle canvas cap car card carrot cart cash cat chair chalk charm
    chat cheese cherry chief circus city class clay clear cliff clock close cloud clover club coach code coin
    comet confirm cookie copy coral corn cotton crane cream crisp crop crown cup dairy daisy dance date dawn
    day delta deny depth desert desk dinner disk doctor dog done dragon draw dress drum duck dune eagle early
    earth echo egg elbow elm ember energy eraser export fable family father fern ferry fiddle filter finish
    fish floor flower flute folder follow fork forward fossil fox friend frost fruit galaxy gate gem ghost
    globe glove grade grain grape gravel guest guitar gull harbor harvest hat height help hero hide hill
    history hobby home honey hotel humble image import inbox ink install iris island ivy jelly jewel juice
    jungle karma kayak kettle key kitchen knife ladder lagoon lamp lantern lava leaf leave lemon length lesson
    level light like linen lion list listen lizard logout lotus lunch magic mail map maple market match meadow
    medal melon meteor mint mirror mocha model money monkey month moon morning moss mother motor mouse movie
    museum my nectar news next night no noble noon note oasis ocean off offer ok onion onyx order otter out
    owl oxygen panda pants paper pasta pause pay peach pear pen pencil phone photo piano pig pilot pine place
    plate play player plug pond poppy port potato power price print prism private profile public puzzle quartz
    quest quiet quilt rabbit rain rate raven read reboot redo refresh reject reload remove report reset
    restore retry review ribbon rice ripple road robot rocket roof rotate route ruby ruler saddle salad sale
    salmon salt sand satin save scarf school science score scout sea seat send sent setting shadow share sheep
    shelf shell ship shoe shop show silver sister size sketch skip skirt slate sleep smart snow soap sock song
    sound soup spam spark speed spider spring squad stable steam stone stop store story stream street style
    submit summer sun sunny swan swift sync table tablet taxi tea team temple theater theme thread thunder
    tidal tiger timer title toast today token tomato topaz torch tower trash undo union unlock update upload
    user velvet video view violet vivid voyage waffle wallet wander watch water we week weight whale width
    wind window winter wolf wonder write yacht year yoga yonder zebra zest
  `),
  dev: list(`
    able about back bamboo bed bread cake canyon chess cow dove easel exam feast file fire flight font forest
    frog giant ginger glass join judge kite laptop legend login meat menu milk olive parade paste planet race
    resume rock scan select start storm student teacher train tree turtle up us wall walnut wheat willow zen
  `),
  test: list(`
    air ample angle apple approve arrow bank basic beer blend book bright broom brother budget butter castle
    cedar chicken child coat cobalt coffee delete door draft edit engine erase evening falcon fancy farm foam
    game garden gift go goat grass group hammer hazel horse info ivory jacket jazz koala lake later lock
    locket lunar marble mason me music mute needle nest number nurse oak open orbit paddle paint palace parrot
    pebble pepper picnic pillow pizza plum pocket poem poet prize queen quick radio reply river royal shirt
    sign smile snake sofa sort spirit spoon status sugar ticket towel tulip tunnel turbo urban valley vapor
    volume weather wine winner wizard zero zoom
  `),
};
