import type { AppKind } from '../app.js';
import { newKey } from '../data/facts.js';
import type { Language } from '../data/lexicon.js';
import type { shopWords } from './shopWords.js';

export const categories = ['home', 'kitchen', 'travel', 'office'] as const;
export type Category = (typeof categories)[number];

export interface Product {
  name: string;
  category: Category;
  /** Hundredths. */
  price: number;
  /** Tenths of a star, 10 to 50. */
  rating: number;
  options: string[];
  soldOut: boolean;
}

export type Delivery = 'standard' | 'express' | 'pickup';
export type Payment = 'card' | 'invoice';
export const deliveries: readonly Delivery[] = ['standard', 'express', 'pickup'];
export const payments: readonly Payment[] = ['card', 'invoice'];

export interface Address {
  name: string;
  street: string;
  city: string;
  zip: string;
  delivery: Delivery;
  payment: Payment;
  gift: boolean;
}

export interface Order extends Address {
  lines: Record<string, number>;
  coupon: string;
}

export interface Review {
  product: string;
  stars: number;
  text: string;
}

export interface ShopStore {
  products: Record<string, Product>;
  /** Quantities by line: `p3`, or `p3/M` with an option. */
  cart: Record<string, number>;
  wishes: string[];
  coupon: string;
  orders: Record<string, Order>;
  numbers: Record<string, string>;
  reviews: Record<string, Review>;
}

export type Sorting = 'name' | 'cheap' | 'dear' | 'rating';
export const sortings: readonly Sorting[] = ['name', 'cheap', 'dear', 'rating'];

export interface ShopUi {
  page: 'shop' | 'product' | 'cart' | 'checkout' | 'wishes' | 'orders' | 'review';
  category: Category | '';
  /** Hundredths; 0 for none. */
  below: number;
  available: boolean;
  sort: Sorting;
  search: string;
  product: string;
  option: string;
  pieces: number;
  coupon: string;
  form: Address;
  bad: (keyof Address)[];
  stars: number;
  text: string;
}

export interface ShopApp extends AppKind {
  store: ShopStore;
  ui: ShopUi;
  word: keyof typeof shopWords;
}

export const emptyForm = (): Address => ({
  name: '',
  street: '',
  city: '',
  zip: '',
  delivery: 'standard',
  payment: 'card',
  gift: false,
});

export function productsOf({ products }: ShopStore, { category, below, available, sort, search }: ShopUi): string[] {
  const order: Record<Sorting, (a: Product, b: Product) => number> = {
    name: (a, b) => (a.name < b.name ? -1 : 1),
    cheap: (a, b) => a.price - b.price,
    dear: (a, b) => b.price - a.price,
    rating: (a, b) => b.rating - a.rating,
  };
  const sought = search.trim().toLowerCase();
  return Object.entries(products)
    .filter(([, product]) => !category || product.category === category)
    .filter(([, { price }]) => !below || price < below)
    .filter(([, { soldOut }]) => !available || !soldOut)
    .filter(([, { name }]) => name.toLowerCase().includes(sought))
    .sort(([, a], [, b]) => order[sort](a, b))
    .map(([id]) => id);
}

export const lineOf = (product: string, option: string): string => (option ? `${product}/${option}` : product);

export function partsOf(line: string): { product: string; option: string } {
  const [product = '', option = ''] = line.split('/');
  return { product, option };
}

export function addToCart(store: ShopStore, line: string, pieces: number): void {
  const now = (store.cart[line] ?? 0) + pieces;
  if (now > 0) store.cart[line] = now;
  else delete store.cart[line];
}

export function toggleWish(store: ShopStore, product: string): void {
  store.wishes = store.wishes.includes(product)
    ? store.wishes.filter((other) => other !== product)
    : [...store.wishes, product].sort();
}

/** Hundredths. */
export const deliveryPrice: Readonly<Record<Delivery, number>> = { standard: 450, express: 1200, pickup: 0 };

export function sumOf(store: ShopStore, lines: Readonly<Record<string, number>>): number {
  return Object.entries(lines).reduce(
    (sum, [line, pieces]) => sum + pieces * (store.products[partsOf(line).product]?.price ?? 0),
    0,
  );
}

export function faults({ name, street, city, zip }: Address): (keyof Address)[] {
  const bad: (keyof Address)[] = [];
  if (!name.trim()) bad.push('name');
  if (!street.trim()) bad.push('street');
  if (!city.trim()) bad.push('city');
  if (!/^\d{5}$/.test(zip.trim())) bad.push('zip');
  return bad;
}

export function placeOrder(store: ShopStore, form: Address): void {
  const tidy = {
    ...form,
    name: form.name.trim(),
    street: form.street.trim(),
    city: form.city.trim(),
    zip: form.zip.trim(),
  };
  store.orders[newKey(store.orders)] = { ...tidy, lines: store.cart, coupon: store.coupon };
  store.cart = {};
  store.coupon = '';
}

export const money = (hundredths: number, language: Language): string =>
  `${language === 'en' ? '$' : '¥'}${(hundredths / 100).toFixed(2)}`;
