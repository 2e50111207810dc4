import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import {
  type Address,
  type Category,
  type Order,
  type ShopApp,
  type ShopUi,
  type Sorting,
  lineOf,
  partsOf,
  productsOf,
} from './shopStore.js';

type ShopKit = Kit<ShopApp>;

/** Identifies an unnamed product. */
export interface ShopHint {
  readonly category?: Category;
  readonly sort?: Sorting;
  readonly below?: number;
  readonly product?: string;
  readonly page?: 'orders';
}

export function solveShop(kit: ShopKit): SolvedTurn | undefined {
  const { store, goal } = kit;
  const order = Object.entries(goal.orders).find(([id]) => !(id in store.orders))?.[1];
  return (
    fillCart(kit, order?.lines ?? goal.cart) ??
    wish(kit) ??
    review(kit) ??
    coupon(kit, order?.coupon ?? goal.coupon) ??
    (order && buy(kit, order))
  );
}

export function lookShop(kit: ShopKit, hint: ShopHint): SolvedTurn | undefined {
  if (hint.page) return openPage(kit, hint.page);
  return hint.product ? listed(kit, hint.product) : undefined;
}

function openPage(kit: ShopKit, page: 'cart' | 'orders' | 'wishes'): SolvedTurn | undefined {
  return kit.ui.page === page ? undefined : kit.press(page, `go to ${kit.words[page]}`);
}

function listed(kit: ShopKit, product: string): SolvedTurn | undefined {
  const { ui, words } = kit;
  if (ui.page !== 'shop') return kit.press('home', 'back to the shelf');
  const { category, sort, below } = (kit.hint ?? {}) as ShopHint;
  if (category && ui.category !== category) return kit.press(`category-${category}`, `look in ${words[category]}`);
  if (below && ui.below !== below) return kit.press(`below-${below}`, 'it has to be below this price');
  if (sort && ui.sort !== sort) return kit.choose('sort', sort, `sort by "${words[sort]}"`);
  if (productsOf(kit.store, ui).includes(product)) return kit.show(`product-${product}`);
  const name = kit.store.products[product]?.name ?? '';
  if (ui.available) return kit.press('available', 'nothing should be left out');
  return kit.fill('search', name, `look for "${name}"`) ?? kit.press('home', 'show everything');
}

function openProduct(kit: ShopKit, product: string): SolvedTurn | undefined {
  if (kit.ui.page === 'product' && kit.ui.product === product) return undefined;
  const name = kit.store.products[product]?.name;
  return listed(kit, product) ?? kit.press(`product-${product}`, `open "${name}"`);
}

function fillCart(kit: ShopKit, lines: Readonly<Record<string, number>>): SolvedTurn | undefined {
  const { store, ui } = kit;
  const again = orderAgain(kit, lines);
  if (again) return again;
  for (const line of new Set([...Object.keys(store.cart), ...Object.keys(lines)])) {
    const [now, target] = [store.cart[line] ?? 0, lines[line] ?? 0];
    if (now === target) continue;
    const { product, option } = partsOf(line);
    const name = store.products[product]?.name ?? '';
    if (now > 0) {
      const cart = openPage(kit, 'cart');
      if (cart) return cart;
      if (target === 0) return kit.press(`remove-${line}`, `"${name}" is not wanted: take it out`);
      return kit.press(`line-${line}-${now < target ? 'more' : 'less'}`, `"${name}": ${target} are wanted, not ${now}`);
    }
    if (target === 1 && !option && ui.page === 'wishes' && store.wishes.includes(product)) {
      return kit.press(`add-${product}`, `put "${name}" into the cart`);
    }
    if (target === 1 && !option && !(ui.page === 'product' && ui.product === product)) {
      return listed(kit, product) ?? kit.press(`add-${product}`, `put "${name}" into the cart`);
    }
    const open = openProduct(kit, product);
    if (open) return open;
    if (option && ui.option !== option) return kit.press(`option-${option}`, `it has to be ${option}`);
    if (ui.pieces !== target) {
      return kit.press(ui.pieces < target ? 'pieces-more' : 'pieces-less', `${target} are wanted, not ${ui.pieces}`);
    }
    return kit.press('add', `put ${lineOf(name, option)} into the cart`);
  }
  return undefined;
}

/** Reorders an earlier order if the goal's cart has exactly its contents. */
function orderAgain(kit: ShopKit, lines: Readonly<Record<string, number>>): SolvedTurn | undefined {
  if ((kit.hint as ShopHint | undefined)?.page !== 'orders' || Object.keys(kit.store.cart).length > 0) return undefined;
  const id = Object.entries(kit.store.orders).find(
    ([, order]) => JSON.stringify(order.lines) === JSON.stringify(lines),
  )?.[0];
  if (!id) return undefined;
  return openPage(kit, 'orders') ?? kit.press(`again-${id}`, 'this is the order: buy it again');
}

function wish(kit: ShopKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const product = [...new Set([...store.wishes, ...goal.wishes])].find(
    (id) => store.wishes.includes(id) !== goal.wishes.includes(id),
  );
  if (!product) return undefined;
  const thought = `"${store.products[product]?.name}" ${goal.wishes.includes(product) ? 'is wished for' : 'is not wished for any more'}`;
  if (ui.page === 'product' && ui.product === product) return kit.press('wish', thought);
  if (store.wishes.includes(product)) return openPage(kit, 'wishes') ?? kit.press(`wish-${product}`, thought);
  return listed(kit, product) ?? kit.press(`wish-${product}`, thought);
}

function review(kit: ShopKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const aim = Object.entries(goal.reviews).find(([id]) => !(id in store.reviews))?.[1];
  if (!aim) return undefined;
  if (ui.page !== 'review' || ui.product !== aim.product) {
    return openProduct(kit, aim.product) ?? kit.press('review', 'write the review');
  }
  if (ui.stars !== aim.stars) return kit.press(`stars-${aim.stars}`, `it gets ${aim.stars} stars`);
  return kit.fill('review-text', aim.text, 'now the words') ?? kit.press('publish', 'publish it');
}

function coupon(kit: ShopKit, code: string): SolvedTurn | undefined {
  if (kit.store.coupon === code) return undefined;
  return openPage(kit, 'cart') ?? kit.fill('coupon', code, `the code is ${code}`) ?? kit.press('apply', 'use the code');
}

function buy(kit: ShopKit, order: Order): SolvedTurn | undefined {
  const { ui } = kit;
  if (ui.page !== 'checkout') return openPage(kit, 'cart') ?? kit.press('checkout', 'the cart is right: check out');
  for (const key of ['name', 'street', 'zip', 'city'] as const) {
    const turn = kit.fill(`form-${key}`, order[key], `"${order[key]}" goes here`);
    if (turn) return turn;
  }
  const { form }: { form: Address } = ui as ShopUi;
  if (form.delivery !== order.delivery) return kit.press(`delivery-${order.delivery}`, 'choose the delivery');
  if (form.payment !== order.payment) return kit.press(`payment-${order.payment}`, 'choose how to pay');
  if (form.gift !== order.gift) return kit.press('gift', order.gift ? 'it is a gift' : 'it is no gift');
  return kit.press('place', 'everything is filled in: order');
}
