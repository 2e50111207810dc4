import { makeTilesLevel } from './level.js';
import { tilesMaster } from './rules.js';
import { gameFamily } from '../gameFamily.js';

export const tilesMasterFamily = gameFamily({
  game: tilesMaster,
  description: 'Move free tiles from a stack to a tray, where three equal tiles disappear, until none is left.',
  level: makeTilesLevel,
  wordings: {
    en: [
      'clear all tiles: press a tile that nothing lies on to put it into the tray, where three equal ones vanish; do not fill the tray',
      'click free tiles to move them to the tray below; three of a kind disappear. Remove every tile before the tray of seven is full',
      'collect three equal tiles at a time until no tile is left',
      'take all tiles off the table, three of a kind at a time, without filling the tray',
      'remove every tile: free ones go to the tray when pressed, and three equal ones there go away',
    ],
    zh: [
      '点击没有被压住的牌放入下方的槽,三张相同的会消失,槽满则输,请清空所有的牌',
      '清空所有的牌:三张相同的牌进入槽中即可消除',
      '把全部的牌三张三张地消掉,不要让槽装满',
    ],
  },
  maxMoves: 60,
});
