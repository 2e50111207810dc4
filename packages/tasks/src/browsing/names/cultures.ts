import type { Split } from '@gyre/protocol';

/** A name is a start, optionally a middle, and an ending for its category. */
export interface Culture {
  readonly starts: readonly string[];
  readonly middles: readonly string[];
  readonly endings: Readonly<Record<Named, readonly string[]>>;
}

/** `thing` is a currency, language, company, species and so on. */
export type Named = 'land' | 'town' | 'water' | 'peak' | 'male' | 'female' | 'family' | 'thing';

const list = (text: string): readonly string[] => text.split(' ');

/**
 * No split's ending ends another split's, so that splits share no word; a test checks this. Names have to be typed, so
 * they are plain letters.
 */
export const cultures: Readonly<Record<Split, readonly Culture[]>> = {
  train: [
    {
      starts: list(
        'Hal Bren Stor Vig Ask Ulf Tor Fjal Grim Sig Kol Rag Skar Thren Ving Ost Brand Eld Hrim Nor Lod Mjol Sund Tyr',
      ),
      middles: list('a e i un er in os al'),
      endings: {
        land: list('mark rike'),
        town: list('vik stad heim borg nes lund'),
        water: list('elv straum'),
        peak: list('fjell horn tind'),
        male: list('mund gar leif bjorn'),
        female: list('hild dis gerd frid'),
        family: list('sen strand gaard kvist rud'),
        thing: list('ung skil tarn'),
      },
    },
    {
      starts: list(
        'Cor Mar Vel Alv Ser Lu Fior Ros Ter Bel Pal Ven Gal Orv Dal Mont Cast Nar Pier Sol Vit Lam Fab Rin',
      ),
      middles: list('a e i an en or is ev'),
      endings: {
        land: list('onia esia'),
        town: list('enza ona eto ara olla essa'),
        water: list('ino agno'),
        peak: list('erone asso'),
        male: list('aldo ello ardo umio'),
        female: list('etta isia orina anza'),
        family: list('ardi etti onti asco ucci'),
        thing: list('arro ilio ume'),
      },
    },
    {
      starts: list(
        'Vlad Bor Mir Stan Gor Krak Drag Yar Pol Zel Rost Vol Bel Kar Lub Tver Smol Brat Dob Chern Lug Osk Pavl Rad',
      ),
      middles: list('o i a en av is om'),
      endings: {
        land: list('ovia ushka'),
        town: list('grad ovka insk vitsa polye'),
        water: list('itsa osna'),
        peak: list('gora ushkin'),
        male: list('slav imir dan oleg'),
        female: list('mila vena dushka olga'),
        family: list('ovich enko ovsky chuk'),
        thing: list('zlot nik esh'),
      },
    },
    {
      starts: list(
        'Ash Far Khal Zar Sam Nur Jal Tab Bah Shir Mehr Qas Ard Kir Rash Yaz Dar Golp Ham Sev Var Parv Tur Mosh',
      ),
      middles: list('a i ad am ar iy ou'),
      endings: {
        land: list('istan eyn'),
        town: list('abad zur dasht shahr'),
        water: list('roud dary'),
        peak: list('kuh avand'),
        male: list('oud yar ozh eem'),
        female: list('eh azar naz ouri'),
        family: list('zadeh pour avi iani'),
        thing: list('inar afsh eq'),
      },
    },
    {
      starts: list(
        'Ald Bram Cran Dun El Fen Hart Lang Mel Nor Pen Ram Sel Thorn Wal Wick Ash Brock Cul Stan Whit Hol Marl Rook',
      ),
      middles: list('e en er ing et ow'),
      endings: {
        land: list('shire merce'),
        town: list('ford ham bury wick combe thorpe'),
        water: list('mere bourne'),
        peak: list('tor pike'),
        male: list('ric win bert stan'),
        female: list('wyn otte etha lind'),
        family: list('field croft worth ridge'),
        thing: list('ling mark pence'),
      },
    },
  ],
  dev: [
    {
      starts: list('Xoc Tlal Cuau Ixt Metz Oz Pax Tec Yax Zac Chim Huax Mix Tep Quim Nahu Tol Chal Papal Xal'),
      middles: list('i o a al it oc ap'),
      endings: {
        land: list('anahuac tlan'),
        town: list('tepec huaca mal titla chitl'),
        water: list('atoyac apan'),
        peak: list('petl quetz'),
        male: list('coyotl ehecatl maz cuic'),
        female: list('xochi papalo yolitz cihua'),
        family: list('coatl huani pilli tzin'),
        thing: list('cacau itzli mec'),
      },
    },
    {
      starts: list('Llan Caer Bryn Gwy Dol Pont Rhos Aber Myn Tre Pwll Cwm Efa Glyn Ysg Bla Cri Har Lly Tal'),
      middles: list('e y ow an ei er'),
      endings: {
        land: list('gwlad ddyn'),
        town: list('wydd ogwr eirion ach fechan'),
        water: list('llwyd afon'),
        peak: list('ddfa mynydd'),
        male: list('wgan dudd rhys aeron'),
        female: list('wenllian eirlys ofydd nest'),
        family: list('awel llyn pryce oedd'),
        thing: list('ceiniog wrth aidd'),
      },
    },
  ],
  test: [
    {
      starts: list('Ka Mo Hi Na Ta Wa Re Sho Ko Ya Fu Ma Ni To Se Ki Ha O Tsu Mi'),
      middles: list('ka no ri mu shi ta ha ke na yo'),
      endings: {
        land: list('koku'),
        town: list('moto hama toru saki waru zu'),
        water: list('gawa mizu'),
        peak: list('yama take'),
        male: list('hiro kazu taro suke'),
        female: list('miko nae yuki haru'),
        family: list('mura guchi zawa kabe'),
        thing: list('ryo mon zeni'),
      },
    },
    {
      starts: list(
        'Oud Bruk Grau Lich Mid Nieuw Rot Schel Veld Zwol Ams Blok Drie Haar Krom Lee Meer Noord Steen Woud',
      ),
      middles: list('e en er el'),
      endings: {
        land: list('gouw'),
        town: list('dijk haven burgh beek loo'),
        water: list('vliet maas'),
        peak: list('berg kop'),
        male: list('aart wijn frits joost'),
        female: list('trude ijke linde griet'),
        family: list('huizen veen straat bos'),
        thing: list('gulde kamp daler'),
      },
    },
    {
      starts: list('Am Chu Hua Int Lam Mall Pach Quil Sum Tup Urub Wir Yaw Anc Caj Kusi Mach Oll Puk Titi'),
      middles: list('a i u ay ac an'),
      endings: {
        land: list('suyu'),
        town: list('marca cocha pampa llacta bamba'),
        water: list('mayu yaku'),
        peak: list('orqo raju'),
        male: list('paq yupa tusi wari'),
        female: list('sisa yma chaska illari'),
        family: list('cusi runtu quispe condor'),
        thing: list('intu kipu llam'),
      },
    },
  ],
};
