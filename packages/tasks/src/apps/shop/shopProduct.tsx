import type { Scene } from '../app.js';
import { newKey } from '../data/facts.js';
import { on } from '../page/elementHandlers.js';
import { Button, Field, Icon } from '../page/parts.js';
import { Picture } from './shopPicture.js';
import { type ShopApp, addToCart, lineOf, money, toggleWish } from './shopStore.js';

type ShopScene = Scene<ShopApp>;

export function Stars({ rating }: { rating: number }) {
  return (
    <span class="stars">
      <Icon name="star" full />
      {(rating / 10).toFixed(1)}
    </span>
  );
}

export function Stepper({ name, value, set }: { name: string; value: number; set: (value: number) => void }) {
  return (
    <div class="across stepper">
      <Button name={`${name}-less`} icon="minus" press={() => set(Math.max(1, value - 1))} />
      <span class="strong">{value}</span>
      <Button name={`${name}-more`} icon="plus" press={() => set(Math.min(9, value + 1))} />
    </div>
  );
}

export function ProductPage({ store, ui, words, language }: ShopScene) {
  const product = store.products[ui.product];
  if (!product) return null;
  const reviews = Object.values(store.reviews).filter((review) => review.product === ui.product);
  return (
    <div class="pane sheet">
      <div class="tools plain">
        <Button name="back" icon="back" kind="quiet" press={() => (ui.page = 'shop')}>
          {words.back}
        </Button>
      </div>
      <div class="scroll">
        <div class="panel product">
          <Picture name={product.name} tall={210} />
          <div class="down grow">
            <span class="title">{product.name}</span>
            <div class="across">
              <span class="price">{money(product.price, language)}</span>
              <Stars rating={product.rating} />
              <span class="chip">{words[product.category]}</span>
            </div>
            {product.options.length > 0 && (
              <div>
                <span class="label">{words.option}</span>
                <div class="across">
                  {product.options.map((option) => (
                    <Button
                      key={option}
                      name={`option-${option}`}
                      kind={ui.option === option ? 'on' : ''}
                      press={() => (ui.option = option)}
                    >
                      {option}
                    </Button>
                  ))}
                </div>
              </div>
            )}
            <div>
              <span class="label">{words.pieces}</span>
              <Stepper name="pieces" value={ui.pieces} set={(pieces) => (ui.pieces = pieces)} />
            </div>
            <div class="across">
              <Button
                name="add"
                icon="cart"
                kind={product.soldOut ? 'off' : 'main'}
                press={() => {
                  if (product.soldOut) return;
                  addToCart(store, lineOf(ui.product, ui.option), ui.pieces);
                  ui.toast = words.added;
                }}
              >
                {product.soldOut ? words.soldOut : words.add}
              </Button>
              <Button
                name="wish"
                icon="heart"
                full={store.wishes.includes(ui.product)}
                press={() => toggleWish(store, ui.product)}
              />
              <Button name="review" press={() => Object.assign(ui, { page: 'review', stars: 0, text: '' })}>
                {words.review}
              </Button>
            </div>
            {reviews.map((review) => (
              <div class="muted small" key={review.text}>
                {'★'.repeat(review.stars)} {review.text}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

export function ReviewPage({ store, ui, words }: ShopScene) {
  const product = store.products[ui.product];
  return (
    <div class="pane sheet">
      <div class="tools plain">
        <Button name="back" icon="back" kind="quiet" press={() => (ui.page = 'product')}>
          {words.back}
        </Button>
      </div>
      <div class="panel down form">
        <span class="title">{product?.name}</span>
        <div class="across rate">
          {[1, 2, 3, 4, 5].map((stars) => (
            <span
              key={stars}
              class={`wish ${ui.stars >= stars ? 'on' : ''}`}
              {...on(`stars-${stars}`, { press: () => (ui.stars = stars) })}
            >
              <Icon name="star" full={ui.stars >= stars} />
            </span>
          ))}
        </div>
        <Field name="review-text" lines={4} hint={words.reviewText} value={ui.text} type={(text) => (ui.text = text)} />
        <div class="across">
          <Button
            name="publish"
            kind={ui.stars && ui.text.trim() ? 'main' : 'off'}
            press={() => {
              if (!ui.stars || !ui.text.trim()) return;
              store.reviews[newKey(store.reviews)] = { product: ui.product, stars: ui.stars, text: ui.text.trim() };
              ui.page = 'product';
            }}
          >
            {words.publish}
          </Button>
        </div>
      </div>
    </div>
  );
}
