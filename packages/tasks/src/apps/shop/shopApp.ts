import type { App } from '../appFamily.js';
import type { Pen } from '../data/pen.js';
import { type Order, type Product, type ShopApp, type ShopStore, categories, lineOf } from './shopStore.js';
import { drawAddress } from './shopAddress.js';
import { shopTemplates } from './shopTemplates.js';
import { shopWords } from './shopWords.js';

const sizes = [
  ['S', 'M', 'L'],
  ['36', '38', '40', '42'],
  ['S', 'M', 'L', 'XL'],
];

function drawStore(pen: Pen): ShopStore {
  const { random } = pen;
  const prices = new Set<number>();
  const price = (): number => {
    const drawn = pen.price();
    if (prices.has(drawn)) return price();
    prices.add(drawn);
    return drawn;
  };
  const ratings = random.shuffle(Array.from({ length: 26 }, (_, index) => 25 + index));
  const products: Product[] = Array.from({ length: random.between(16, 22) }, (_, index) => ({
    name: pen.product(),
    category: categories[index % 4] ?? 'home',
    price: price(),
    rating: ratings[index] ?? 30,
    options: random.chance(0.3) ? random.pick(sizes) : [],
    soldOut: random.chance(0.12),
  }));
  const ids = products.map((_, index) => `p${index + 1}`);
  const available = ids.filter((_, index) => !products[index]?.soldOut);
  const drawLines = (count: number): Record<string, number> =>
    Object.fromEntries(
      random
        .shuffle(available)
        .slice(0, count)
        .map((id) => {
          const options = products[ids.indexOf(id)]?.options ?? [];
          return [lineOf(id, options.length > 0 ? random.pick(options) : ''), random.between(1, 3)];
        }),
    );
  const orders = Array.from({ length: 3 }, (): Order => ({
    ...drawAddress(pen),
    lines: drawLines(random.between(1, 3)),
    coupon: '',
  }));
  return {
    products: Object.fromEntries(products.map((product, index) => [`p${index + 1}`, product])),
    cart: drawLines(random.between(0, 3)),
    wishes: random.shuffle(available).slice(0, random.between(1, 3)).sort(),
    coupon: '',
    orders: Object.fromEntries(orders.map((order, index) => [`o${index + 1}`, order])),
    numbers: Object.fromEntries(orders.map((_, index) => [`o${index + 1}`, pen.digits(5)])),
    reviews: {},
  };
}

export const shopApp: App<ShopApp> = {
  name: 'shop',
  words: shopWords,
  layouts: { shelf: ['three', 'two', 'list'], picture: ['top', 'inset'], product: ['beside', 'mirrored'] },
  styles: `
.shop .tools.plain{border:0}
.shop .side{width:138px}
.shop .stock{padding:6px 9px}
.shelf{display:grid;grid-template-columns:repeat(auto-fill,minmax(136px,1fr));gap:9px;padding:2px 10px 12px}
.shop.shelf-two .shelf{grid-template-columns:repeat(auto-fill,minmax(190px,1fr))}
.shop.shelf-list .shelf{grid-template-columns:1fr;gap:6px}
.good{overflow:hidden;cursor:pointer;display:flex;flex-direction:column}
.good:hover{border-color:var(--accent)}
.good .words{padding:6px 9px 0;display:flex;flex-direction:column;gap:2px}
.good .words .across{justify-content:space-between}
.good .acts{padding:6px 9px 9px}
.good .acts .btn{flex:1;height:26px;padding:0 4px}
.shelf-list .good{flex-direction:row;align-items:center}
.shelf-list .good .picture{width:80px;flex:none}
.shelf-list .good .words{flex:1;padding:6px 12px}
.shelf-list .good .acts{padding:0 12px}
.shelf-list .good .acts .btn{min-width:100px}
.shelf-list .good .words .across{justify-content:flex-start}
.picture{display:block;width:100%}
.picture-inset .good{padding:6px}
.picture-inset .picture{border-radius:calc(var(--radius)*.7)}
.stars{display:inline-flex;align-items:center;gap:3px;font-size:.9em}
.stars .ico{width:1em;height:1em;color:#e3a008}
.wish{display:inline-flex;padding:3px;color:var(--muted);cursor:pointer}
.wish.on{color:#d6336c}
.rate .wish.on{color:#e3a008}
.rate .ico{width:26px;height:26px}
.sheet{padding:0 12px 10px}
.sheet .tools.plain{padding-left:0}
.product{display:flex;gap:18px;padding:14px}
.product-mirrored .product{flex-direction:row-reverse}
.product .picture{width:210px;flex:none;border-radius:var(--radius)}
.product .price{font-size:1.35em;font-weight:700;color:var(--accent)}
.line{display:flex;align-items:center;gap:12px;padding:8px 12px;margin-bottom:7px}
.line .picture{width:50px;flex:none;border-radius:calc(var(--radius)*.6)}
.line .sum{width:76px;text-align:right}
.stepper{gap:5px}.stepper .strong{width:22px;text-align:center}
.stepper .btn{height:26px;width:26px}
.foot{flex:none;padding:9px 12px}
.foot .code{width:116px}
.order{padding:10px 13px;margin-bottom:8px}
.form{padding:14px 18px;gap:10px}
.form .top{align-items:flex-start}
.form .across{gap:14px}
`,
  draw: drawStore,
  templates: shopTemplates,
};
