import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Field, Icon, Labelled, Tick } from '../page/parts.js';
import { Picture } from './shopPicture.js';
import { Stepper } from './shopProduct.js';
import {
  type Address,
  type ShopApp,
  deliveries,
  deliveryPrice,
  faults,
  money,
  partsOf,
  payments,
  placeOrder,
  sumOf,
} from './shopStore.js';

type ShopScene = Scene<ShopApp>;

export function Cart({ store, ui, words, language }: ShopScene) {
  const lines = Object.entries(store.cart);
  return (
    <div class="pane sheet">
      <div class="tools plain">
        <span class="title">{words.cart}</span>
      </div>
      <div class="scroll">
        {lines.map(([line, pieces]) => {
          const { product: id, option } = partsOf(line);
          const product = store.products[id];
          if (!product) return null;
          return (
            <div class="panel line" key={line}>
              <Picture name={product.name} tall={44} />
              <div class="grow">
                <div class="strong cut">{product.name}</div>
                <div class="muted small">
                  {money(product.price, language)} {option && `· ${words.option} ${option}`}
                </div>
              </div>
              <Stepper name={`line-${line}`} value={pieces} set={(value) => (store.cart[line] = value)} />
              <span class="strong sum">{money(pieces * product.price, language)}</span>
              <span class="wish" {...on(`remove-${line}`, { press: () => delete store.cart[line] })}>
                <Icon name="trash" />
              </span>
            </div>
          );
        })}
        {lines.length === 0 && <div class="void">{words.emptyCart}</div>}
      </div>
      {lines.length > 0 && (
        <div class="panel across foot">
          <div class="code">
            <Field name="coupon" hint={words.coupon} value={ui.coupon} type={(text) => (ui.coupon = text)} />
          </div>
          <Button name="apply" press={() => Object.assign(store, { coupon: ui.coupon.trim() })}>
            {words.apply}
          </Button>
          {store.coupon && <span class="chip">{store.coupon}</span>}
          <span class="grow" />
          <span>{words.subtotal}</span>
          <span class="strong">{money(sumOf(store, store.cart), language)}</span>
          <Button name="checkout" kind="main" press={() => Object.assign(ui, { page: 'checkout', bad: [] })}>
            {words.checkout}
          </Button>
        </div>
      )}
    </div>
  );
}

export function Checkout({ store, ui, words, language }: ShopScene) {
  const { form } = ui;
  const field = (key: 'name' | 'street' | 'city' | 'zip', label: string) => (
    <Labelled
      name={`form-${key}`}
      label={label}
      value={form[key]}
      type={(text) => (form[key] = text)}
      note={ui.bad.includes(key) ? (key === 'zip' ? words.badZip : words.missing) : undefined}
    />
  );
  const choice = <Key extends 'delivery' | 'payment'>(key: Key, options: readonly Address[Key][], label: string) => (
    <div>
      <span class="label">{label}</span>
      <div class="across">
        {options.map((option) => (
          <Tick
            key={option}
            name={`${key}-${option}`}
            round
            on={form[key] === option}
            press={() => (form[key] = option)}
          >
            {words[option]}
          </Tick>
        ))}
      </div>
    </div>
  );
  return (
    <div class="pane sheet">
      <div class="tools plain">
        <Button name="back" icon="back" kind="quiet" press={() => (ui.page = 'cart')}>
          {words.back}
        </Button>
        <span class="title">{words.checkout}</span>
      </div>
      <div class="panel down form">
        {field('name', words.fullName)}
        {field('street', words.street)}
        <div class="across top">
          {field('zip', words.zip)}
          {field('city', words.city)}
        </div>
        {choice('delivery', deliveries, words.delivery)}
        {choice('payment', payments, words.payment)}
        <div class="across">
          <Tick name="gift" on={form.gift} press={() => (form.gift = !form.gift)}>
            {words.gift}
          </Tick>
          <span class="grow" />
          <span>{words.total}</span>
          <span class="strong">{money(sumOf(store, store.cart) + deliveryPrice[form.delivery], language)}</span>
          <Button
            name="place"
            kind="main"
            press={() => {
              ui.bad = faults(form);
              if (ui.bad.length > 0) return;
              placeOrder(store, form);
              Object.assign(ui, { page: 'orders', toast: words.thanks });
            }}
          >
            {words.place}
          </Button>
        </div>
      </div>
    </div>
  );
}
