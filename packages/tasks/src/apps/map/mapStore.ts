import type { AppKind, Scene } from '../app.js';
import { newKey } from '../data/facts.js';
import type { mapWords } from './mapWords.js';

export const kinds = ['cafe', 'park', 'museum', 'hotel', 'station'] as const;
export type PlaceKind = (typeof kinds)[number];

/** Last part of a place's name. */
export const kindNames = {
  en: { cafe: 'Café', park: 'Park', museum: 'Museum', hotel: 'Hotel', station: 'Station' },
  zh: { cafe: '咖啡馆', park: '公园', museum: '博物馆', hotel: '酒店', station: '站' },
} as const;
export const modes = ['walk', 'bike', 'car'] as const;
export type Mode = (typeof modes)[number];
export const layers = ['traffic', 'transit', 'terrain'] as const;
export type Layer = (typeof layers)[number];

/** A place in a square of 1000 by 1000. */
export interface MapPlace {
  name: string;
  kind: PlaceKind;
  x: number;
  y: number;
  /** Tenths of a star. */
  rating: number;
  phone: string;
  street: string;
}

export interface Route {
  from: string;
  to: string;
  stops: string[];
  mode: Mode;
}

export interface MapPin {
  name: string;
  // eslint-disable-next-line gyre/vague-name -- a key of stored goals
  at: string;
}

export interface MapStore {
  places: Record<string, MapPlace>;
  /** Horizontal streets; `down` are the vertical ones. */
  across: { name: string; y: number }[];
  down: { name: string; x: number }[];
  river: number[][];
  saved: string[];
  home: string;
  notes: Record<string, string>;
  stars: Record<string, number>;
  layers: Record<Layer, boolean>;
  /** By crossing: `2/3` is that of the third horizontal and the fourth vertical street. */
  pins: Record<string, MapPin>;
  route: Route | Record<string, never>;
}

export interface MapUi {
  /** Centre of the visible part. */
  x: number;
  y: number;
  zoom: number;
  panel: 'search' | 'place' | 'route' | 'saved';
  place: string;
  search: string;
  kind: PlaceKind | '';
  sort: boolean;
  note: string;
  form: Route;
  pin?: MapPin | undefined;
  dragged?: { x: number; y: number; mapX: number; mapY: number } | undefined;
  moved: boolean;
}

export interface MapApp extends AppKind {
  store: MapStore;
  ui: MapUi;
  word: keyof typeof mapWords;
}

export function placesOf({ places }: MapStore, { search, kind, sort }: MapUi): string[] {
  const sought = search.trim().toLowerCase();
  return Object.entries(places)
    .filter(([, place]) => !kind || place.kind === kind)
    .filter(([, { name }]) => name.toLowerCase().includes(sought))
    .sort(([, a], [, b]) => (sort ? b.rating - a.rating : a.name < b.name ? -1 : 1))
    .map(([id]) => id);
}

export function minutesFor({ places }: MapStore, { from, stops, to, mode }: Route): number {
  const waypoints = [from, ...stops, to].flatMap((id) => places[id] ?? []);
  let length = 0;
  for (let index = 1; index < waypoints.length; index++) {
    const [a, b] = [waypoints[index - 1]!, waypoints[index]!];
    length += Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
  }
  return Math.max(1, Math.round((length * { walk: 6, bike: 2.2, car: 1.3 }[mode]) / 100));
}

export function toggleSaved(store: MapStore, id: string): void {
  store.saved = store.saved.includes(id) ? store.saved.filter((other) => other !== id) : [...store.saved, id].sort();
}

export function crossingAt({ across, down }: MapStore, x: number, y: number): string {
  const nearest = (all: readonly number[], at: number) =>
    all.reduce((best, next, index) => (Math.abs(next - at) < Math.abs((all[best] ?? 0) - at) ? index : best), 0);
  return `${nearest(
    across.map((street) => street.y),
    y,
  )}/${nearest(
    down.map((street) => street.x),
    x,
  )}`;
}

export function pointOf({ across, down }: MapStore, crossing: string): { x: number; y: number } {
  const [row = 0, column = 0] = crossing.split('/').map(Number);
  return { x: down[column]?.x ?? 0, y: across[row]?.y ?? 0 };
}

export function addPin({ pins }: MapStore, name: string, at: string): void {
  pins[newKey(pins)] = { name: name.trim(), at };
}

export const emptyRoute = (): Route => ({ from: '', to: '', stops: [], mode: 'walk' });

export function openPlace({ store, ui }: Scene<MapApp>, id: string): void {
  const place = store.places[id];
  if (!place) return;
  Object.assign(ui, { panel: 'place', place: id, x: place.x, y: place.y, note: store.notes[id] ?? '' });
}
