import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Find, Icon, Tick, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { Cart, Checkout } from './shopCheckout.js';
import { Picture } from './shopPicture.js';
import { ProductPage, ReviewPage, Stars } from './shopProduct.js';
import { lookShop, solveShop } from './shopSolver.js';
import {
  type ShopApp,
  type Sorting,
  addToCart,
  categories,
  emptyForm,
  money,
  partsOf,
  productsOf,
  sortings,
  sumOf,
  toggleWish,
} from './shopStore.js';

type ShopScene = Scene<ShopApp>;

function open({ ui, store }: ShopScene, product: string): void {
  Object.assign(ui, { page: 'product', product, option: store.products[product]?.options[0] ?? '', pieces: 1 });
}

function Filters(scene: ShopScene) {
  const { ui, words, language } = scene;
  return (
    <div class="side">
      <div class="head">{words.category}</div>
      {(['', ...categories] as const).map((category) => (
        <div
          key={category}
          class={`item ${ui.category === category ? 'on' : ''}`}
          {...on(`category-${category || 'all'}`, { press: () => (ui.category = category) })}
        >
          <span>{words[category || 'all']}</span>
        </div>
      ))}
      <div class="head">{words.price}</div>
      {[0, 5000, 10000, 15000].map((below) => (
        <div
          key={below}
          class={`item ${ui.below === below ? 'on' : ''}`}
          {...on(`below-${below}`, { press: () => (ui.below = below) })}
        >
          <span>{below ? `${words.below} ${money(below, language)}` : words.anyPrice}</span>
        </div>
      ))}
      <div class="stock">
        <Tick name="available" on={ui.available} press={() => (ui.available = !ui.available)}>
          {words.available}
        </Tick>
      </div>
    </div>
  );
}

function Shelf(scene: ShopScene) {
  const { store, ui, words, language, layout } = scene;
  const products = ui.page === 'wishes' ? store.wishes : productsOf(store, ui);
  return (
    <div class="pane" key={`${ui.page}${ui.category}${ui.sort}${ui.below}${ui.search}`}>
      <div class="tools plain">
        <span class="strong">{ui.page === 'wishes' ? words.wishes : words[ui.category || 'all']}</span>
        <span class="muted small">{products.length}</span>
        <span class="grow" />
        {ui.page === 'shop' && (
          <Drop
            name="sort"
            ui={ui}
            icon="sort"
            place="end"
            options={sortings.map((key) => ({ key, text: words[key], on: ui.sort === key }))}
            choose={(key) => (ui.sort = key as Sorting)}
          >
            {words[ui.sort]}
          </Drop>
        )}
      </div>
      <div class="scroll">
        <div class="shelf">
          {products.map((id) => {
            const product = store.products[id];
            if (!product) return null;
            const wished = store.wishes.includes(id);
            return (
              <div key={id} class="panel good" {...on(`product-${id}`, { press: () => open(scene, id) })}>
                <Picture name={product.name} tall={layout.shelf === 'list' ? 62 : 84} />
                <div class="words">
                  <div class="cut strong">{product.name}</div>
                  <div class="across">
                    <span>{money(product.price, language)}</span>
                    <Stars rating={product.rating} />
                  </div>
                </div>
                <div class="across acts">
                  <Button
                    name={`add-${id}`}
                    kind={product.soldOut ? 'off' : 'main'}
                    press={() => {
                      if (product.soldOut) return;
                      if (product.options.length > 0) return open(scene, id);
                      addToCart(store, id, 1);
                      ui.toast = words.added;
                    }}
                  >
                    {product.soldOut ? words.soldOut : words.add}
                  </Button>
                  <span
                    class={`wish ${wished ? 'on' : ''}`}
                    {...on(`wish-${id}`, { press: () => toggleWish(store, id) })}
                  >
                    <Icon name="heart" full={wished} />
                  </span>
                </div>
              </div>
            );
          })}
        </div>
        {products.length === 0 && <div class="void">{words.emptyCart}</div>}
      </div>
    </div>
  );
}

function Orders({ store, ui, words, language }: ShopScene) {
  return (
    <div class="pane">
      <div class="tools plain">
        <span class="strong">{words.orders}</span>
      </div>
      <div class="scroll">
        {Object.entries(store.orders).map(([id, order]) => (
          <div class="panel order" key={id}>
            <div class="across">
              <span class="strong">
                {words.order} {store.numbers[id] ?? ''}
              </span>
              <span class="muted small">{words[order.delivery]}</span>
              <span class="grow" />
              <span class="strong">{money(sumOf(store, order.lines), language)}</span>
              <Button
                name={`again-${id}`}
                press={() => {
                  for (const [line, pieces] of Object.entries(order.lines)) addToCart(store, line, pieces);
                  ui.toast = words.added;
                }}
              >
                {words.again}
              </Button>
            </div>
            {Object.entries(order.lines).map(([line, pieces]) => (
              <div key={line} class="muted small">
                {pieces} × {store.products[partsOf(line).product]?.name} {partsOf(line).option}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function ShopView(scene: ShopScene) {
  const { store, ui, words } = scene;
  const pieces = Object.values(store.cart).reduce((sum, count) => sum + count, 0);
  const tab = (page: 'wishes' | 'orders' | 'cart', icon: 'heart' | 'file' | 'cart', count?: number) => (
    <Button name={page} icon={icon} kind={`quiet ${ui.page === page ? 'on' : ''}`} press={() => (ui.page = page)}>
      {count === undefined ? words[page] : `${words[page]} ${count}`}
    </Button>
  );
  return (
    <>
      <div class="bar">
        <div
          class="brand"
          {...on('home', { press: () => Object.assign(ui, { page: 'shop', category: '', search: '', below: 0 }) })}
        >
          <Icon name="cart" />
          {words.app}
        </div>
        <Find
          name="search"
          hint={words.search}
          value={ui.search}
          type={(search) => Object.assign(ui, { search, page: 'shop', category: '', below: 0 })}
        />
        <span class="grow" />
        {tab('wishes', 'heart')}
        {tab('orders', 'file')}
        {tab('cart', 'cart', pieces)}
      </div>
      <div class="body">
        {ui.page === 'shop' && <Filters {...scene} />}
        {(ui.page === 'shop' || ui.page === 'wishes') && <Shelf {...scene} />}
        {ui.page === 'product' && <ProductPage {...scene} />}
        {ui.page === 'review' && <ReviewPage {...scene} />}
        {ui.page === 'cart' && <Cart {...scene} />}
        {ui.page === 'checkout' && <Checkout {...scene} />}
        {ui.page === 'orders' && <Orders {...scene} />}
      </div>
      <Toast ui={ui} />
    </>
  );
}

export default runApp<ShopApp>({
  view: ShopView,
  ui: () => ({
    ...{ page: 'shop', category: '', below: 0, available: false, sort: 'name', search: '', product: '', option: '' },
    ...{ pieces: 1, coupon: '', form: emptyForm(), bad: [], stars: 0, text: '' },
  }),
  solve: solveShop,
  look: lookShop,
  lasting: ['/orders/+', '/reviews/+'],
});
