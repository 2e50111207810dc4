import type { Draft, Template } from '../appFamily.js';
import { drawAddress } from './shopAddress.js';
import {
  type Address,
  type Product,
  type ShopApp,
  addToCart,
  categories,
  lineOf,
  money,
  placeOrder,
  sumOf,
  toggleWish,
} from './shopStore.js';

type ShopDraft = Draft<ShopApp>;

function pickProduct({ random, store }: ShopDraft, fits: (product: Product) => boolean): [string, Product] | undefined {
  const inCart = Object.keys(store.cart).join(' ');
  const candidates = Object.entries(store.products).filter(
    ([id, product]) => !product.soldOut && fits(product) && !new RegExp(`\\b${id}\\b`).test(inCart),
  );
  return candidates.length > 0 ? random.pick(candidates) : undefined;
}

const plain = ({ options }: Product) => options.length === 0;

function addressTexts(address: Address, { words, language }: ShopDraft): Record<string, string> {
  const gift =
    language === 'en'
      ? address.gift
        ? 'wrap it as a gift'
        : 'no gift wrapping'
      : address.gift
        ? '需要礼品包装'
        : '不要礼品包装';
  return {
    ...{ name: address.name, street: address.street, city: address.city, zip: address.zip },
    ...{ delivery: words[address.delivery], payment: words[address.payment], gift },
  };
}

/** Formats lines as `2 × Coral Lamp (M)`. */
function linesText(draft: ShopDraft, lines: Readonly<Record<string, number>>): string {
  const parts = Object.entries(lines).map(([line, pieces]) => {
    const [id = '', option] = line.split('/');
    const quoted =
      draft.language === 'en' ? `"${draft.store.products[id]?.name}"` : `“${draft.store.products[id]?.name}”`;
    return `${pieces} × ${quoted}${option ? ` (${draft.words.option} ${option})` : ''}`;
  });
  return parts.join(draft.language === 'en' ? ', ' : '、');
}

export const shopTemplates: readonly Template<ShopApp>[] = [
  {
    name: 'add',
    description: 'Add a product to the cart.',
    difficulty: 1,
    steps: 6,
    en: ['Put {product} into the cart.', 'Add {product} to the cart.', 'I want {product}: put one into the cart.'],
    zh: ['把{product}放入购物车。', '将{product}加到购物车里。', '我想要{product}，请加一件到购物车。'],
    make(draft) {
      const picked = pickProduct(draft, plain);
      if (!picked) return undefined;
      const [id, { name }] = picked;
      return { texts: { product: name }, goal: (store) => addToCart(store, id, 1) };
    },
  },
  {
    name: 'wish',
    description: 'Add a product to the wish list.',
    difficulty: 1,
    steps: 6,
    en: [
      'Put {product} on the list {wishes}.',
      'Add {product} to {wishes}.',
      'Remember {product} for later in {wishes}.',
    ],
    zh: ['把{product}加入{wishes}。', '将{product}放到{wishes}里。', '以后再买{product}，先存进{wishes}。'],
    make(draft) {
      const picked = pickProduct(draft, () => true);
      if (!picked || draft.store.wishes.includes(picked[0])) return undefined;
      return {
        texts: { product: picked[1].name, wishes: draft.words.wishes },
        goal: (store) => toggleWish(store, picked[0]),
      };
    },
  },
  {
    name: 'addSeveral',
    description: 'Add several units of a product to the cart.',
    difficulty: 2,
    steps: 11,
    en: [
      'Put [count] pieces of {product} into the cart.',
      'Add {product} to the cart, [count] pieces.',
      'I need [count] of {product} in the cart.',
    ],
    zh: [
      '把[count]件{product}放入购物车。',
      '将{product}加入购物车，数量[count]。',
      '购物车里需要[count]件{product}。',
    ],
    make(draft) {
      const picked = pickProduct(draft, plain);
      if (!picked) return undefined;
      const count = draft.random.between(2, 5);
      return { texts: { product: picked[1].name, count }, goal: (store) => addToCart(store, picked[0], count) };
    },
  },
  {
    name: 'addSize',
    description: 'Add a product in a given size to the cart.',
    difficulty: 2,
    steps: 7,
    en: [
      'Put {product} in size [size] into the cart.',
      'Add one {product}, size [size], to the cart.',
      'Buy me {product} in [size]: just put it into the cart.',
    ],
    zh: [
      '把尺码为[size]的{product}放入购物车。',
      '将{product}（[size]码）加入购物车一件。',
      '我要[size]码的{product}，放进购物车即可。',
    ],
    make(draft) {
      const picked = pickProduct(draft, (product) => !plain(product));
      if (!picked) return undefined;
      const [id, { name, options }] = picked;
      const size = draft.random.pick(options);
      return { texts: { product: name, size }, goal: (store) => addToCart(store, lineOf(id, size), 1) };
    },
  },
  {
    name: 'remove',
    description: 'Remove a product from the cart.',
    difficulty: 2,
    steps: 3,
    en: [
      'Take {product} out of the cart.',
      'Remove {product} from the cart.',
      '{product} should not be in the cart any more.',
    ],
    zh: ['把{product}从购物车里移除。', '从购物车中删掉{product}。', '购物车里不要{product}了。'],
    make({ random, store }) {
      const lines = Object.keys(store.cart);
      if (lines.length < 2) return undefined;
      const line = random.pick(lines);
      return {
        texts: { product: store.products[line.split('/')[0] ?? '']?.name ?? '' },
        goal: (aim) => delete aim.cart[line],
      };
    },
  },
  {
    name: 'change',
    description: 'Change the quantity of a product in the cart.',
    difficulty: 2,
    steps: 6,
    en: [
      'Change the quantity of {product} in the cart to [count].',
      'There should be [count] pieces of {product} in the cart.',
      'Set {product} in the cart to [count].',
    ],
    zh: [
      '把购物车里{product}的数量改为[count]。',
      '购物车里应有[count]件{product}。',
      '将购物车中的{product}设为[count]件。',
    ],
    make({ random, store }) {
      const lines = Object.keys(store.cart);
      if (lines.length === 0) return undefined;
      const line = random.pick(lines);
      const count = random.between(1, 5);
      return {
        texts: { product: store.products[line.split('/')[0] ?? '']?.name ?? '', count },
        goal: (aim) => (aim.cart[line] = count),
      };
    },
  },
  {
    name: 'coupon',
    description: 'Apply a coupon to the cart.',
    difficulty: 2,
    steps: 5,
    en: [
      'Use the coupon code {code} in the cart.',
      'Apply the coupon {code}; do not order yet.',
      'Enter {code} as the coupon code of the cart.',
    ],
    zh: ['在购物车里使用优惠码{code}。', '使用优惠码{code}，先不要下单。', '把{code}填为购物车的优惠码。'],
    make({ pen, store }) {
      if (Object.keys(store.cart).length === 0) return undefined;
      const code = `GO${pen.digits(4)}`;
      return { texts: { code }, goal: (aim) => (aim.coupon = code) };
    },
  },
  {
    name: 'cheapest',
    description: 'Find the cheapest product of a category and add it to the cart.',
    difficulty: 3,
    steps: 7,
    en: [
      'Put the cheapest product of the category {category} into the cart.',
      'Find what costs least in {category} and add it to the cart.',
      'Which product in {category} is the cheapest? Put it into the cart.',
    ],
    zh: [
      '把{category}分类里最便宜的商品放入购物车。',
      '在{category}中找到价格最低的商品并加入购物车。',
      '{category}里哪件最便宜？请放入购物车。',
    ],
    make({ random, store, words }) {
      const category = random.pick(categories);
      const candidates = Object.entries(store.products).filter(([, product]) => product.category === category);
      const [id, product] = candidates.reduce((best, next) => (next[1].price < best[1].price ? next : best));
      if (product.soldOut || !plain(product) || id in store.cart) return undefined;
      return {
        texts: { category: words[category] },
        goal: (aim) => addToCart(aim, id, 1),
        look: { category, sort: 'cheap' },
      };
    },
  },
  {
    name: 'bestBelow',
    description: 'Find the best-rated product below a price and add it to the wish list.',
    difficulty: 4,
    steps: 8,
    en: [
      'Of the products of {category} below [price], put the one with the best rating on {wishes}.',
      'Add the best rated product in {category} that costs less than [price] to {wishes}.',
    ],
    zh: [
      '在{category}中价格低于[price]的商品里，把评分最高的加入{wishes}。',
      '将{category}分类里低于[price]且评分最高的商品放进{wishes}。',
    ],
    make({ random, store, words, language }) {
      const category = random.pick(categories);
      const below = random.pick([5000, 10000, 15000]);
      const candidates = Object.entries(store.products).filter(
        ([, product]) => product.category === category && product.price < below,
      );
      if (candidates.length < 2) return undefined;
      const [id] = candidates.reduce((best, next) => (next[1].rating > best[1].rating ? next : best));
      if (store.wishes.includes(id)) return undefined;
      return {
        texts: { category: words[category], price: money(below, language), wishes: words.wishes },
        goal: (aim) => toggleWish(aim, id),
        look: { category, below, sort: 'rating' },
      };
    },
  },
  {
    name: 'tellPrice',
    description: 'Report the price of a product.',
    difficulty: 1,
    steps: 6,
    en: ['What does {product} cost?', 'Answer with the price of {product}.', 'How much is one {product}?'],
    zh: ['{product}多少钱？', '请回答{product}的价格。', '一件{product}的价格是多少？'],
    make(draft) {
      const [id, { name, price }] = draft.random.pick(Object.entries(draft.store.products));
      return { texts: { product: name }, answer: money(price, draft.language), look: { product: id } };
    },
  },
  {
    name: 'tellTotal',
    description: 'Report the total of an earlier order.',
    difficulty: 2,
    steps: 4,
    en: [
      'What did the order [number] cost in total?',
      'Answer with the sum of the order [number].',
      'How much did I pay for the goods of order [number]?',
    ],
    zh: ['订单[number]一共花了多少钱？', '请回答订单[number]的总价。', '订单[number]的商品共付了多少？'],
    make({ random, store, language }) {
      const [id, order] = random.pick(Object.entries(store.orders));
      return {
        texts: { number: store.numbers[id] ?? '' },
        answer: money(sumOf(store, order.lines), language),
        look: { page: 'orders' },
      };
    },
  },
  {
    name: 'orderAgain',
    description: 'Add the items of an earlier order to the cart.',
    difficulty: 2,
    steps: 4,
    heldOut: true,
    en: [
      'Put everything of the order [number] into the cart again.',
      'I want the same as in order [number]: fill the cart with it.',
    ],
    zh: ['把订单[number]里的所有商品再放入购物车。', '我要和订单[number]一样的商品，请放进购物车。'],
    make({ random, store }) {
      const [id, order] = random.pick(Object.entries(store.orders));
      store.cart = {};
      return {
        texts: { number: store.numbers[id] ?? '' },
        goal: (aim) => (aim.cart = structuredClone(order.lines)),
        look: { page: 'orders' },
      };
    },
  },
  {
    name: 'fromWishes',
    description: 'Move a product from the wish list to the cart.',
    difficulty: 3,
    steps: 6,
    heldOut: true,
    en: [
      'Put {product} from {wishes} into the cart, and take it off {wishes}.',
      'Move {product} from {wishes} to the cart.',
    ],
    zh: ['把{wishes}里的{product}放入购物车，并从{wishes}中去掉。', '将{product}从{wishes}移到购物车。'],
    make({ random, store, words }) {
      const id = random.pick(store.wishes);
      const product = store.products[id];
      if (!product || !plain(product) || id in store.cart) return undefined;
      return {
        texts: { product: product.name, wishes: words.wishes },
        goal(aim) {
          addToCart(aim, id, 1);
          toggleWish(aim, id);
        },
      };
    },
  },
  {
    name: 'review',
    description: 'Write a review of a product.',
    difficulty: 3,
    steps: 11,
    en: [
      'Review {product}: [stars] stars and the words {text}.',
      'Write a review of {product} that says {text} and gives [stars] stars.',
      'Give {product} [stars] stars and publish {text} as your review.',
    ],
    zh: [
      '评价{product}：[stars]星，内容{text}。',
      '为{product}写评价，内容是{text}，给[stars]星。',
      '给{product}打[stars]星，并发布评价{text}。',
    ],
    make({ pen, random, store }) {
      const [product, { name }] = random.pick(Object.entries(store.products));
      const [stars, text] = [random.between(1, 5), pen.note()];
      return {
        texts: { product: name, stars, text },
        goal: (aim) => (aim.reviews.new1 = { product, stars, text }),
      };
    },
  },
  {
    name: 'checkout',
    description: 'Order the items in the cart: fill in the checkout form.',
    difficulty: 4,
    steps: 16,
    en: [
      'Order what is in the cart for {name}, {street}, [zip] {city}. Delivery: {delivery}, payment: {payment}, [gift].',
      'Check out. The goods go to {name}, {street}, [zip] {city}; delivery {delivery}, payment {payment}, [gift].',
    ],
    zh: [
      '结算购物车：收货人{name}，街道{street}，邮编[zip]，城市{city}。配送{delivery}，付款{payment}，[gift]。',
      '下单购物车里的商品，寄给{name}，{street}，[zip]{city}；配送方式{delivery}，付款方式{payment}，[gift]。',
    ],
    make(draft) {
      if (Object.keys(draft.store.cart).length === 0) return undefined;
      const address = drawAddress(draft.pen);
      return { texts: addressTexts(address, draft), goal: (store) => placeOrder(store, address) };
    },
  },
  {
    name: 'buy',
    description: 'Buy several units of a product with a coupon, from the product page to the order.',
    difficulty: 5,
    steps: 29,
    en: [
      'Buy [goods] with the coupon {code}. Send it to {name}, {street}, [zip] {city}; delivery {delivery}, payment {payment}, [gift].',
      'Order [goods] for {name}, {street}, [zip] {city}. Use the coupon code {code}. Delivery {delivery}, payment {payment}, [gift].',
    ],
    zh: [
      '购买[goods]，使用优惠码{code}。寄给{name}，{street}，[zip]{city}；配送{delivery}，付款{payment}，[gift]。',
      '为{name}订购[goods]，地址{street}，[zip]{city}。优惠码{code}，配送{delivery}，付款{payment}，[gift]。',
    ],
    make(draft) {
      const { pen, random, store } = draft;
      store.cart = {};
      const picked = pickProduct(draft, () => true);
      if (!picked) return undefined;
      const [id, { options }] = picked;
      const lines = { [lineOf(id, options.length > 0 ? random.pick(options) : '')]: random.between(1, 3) };
      const [address, code] = [drawAddress(pen), `GO${pen.digits(4)}`];
      return {
        texts: { ...addressTexts(address, draft), goods: linesText(draft, lines), code },
        goal(aim) {
          Object.assign(aim, { cart: lines, coupon: code });
          placeOrder(aim, address);
        },
      };
    },
  },
];
