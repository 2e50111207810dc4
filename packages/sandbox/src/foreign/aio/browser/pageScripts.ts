/** Selects what a person can click, type into or choose on a page. */
export const interactive =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=""], [contenteditable=true], [onclick], [role=button], [role=link], [role=checkbox], [role=radio], [role=tab], [role=menuitem], [role=option], [role=switch], [role=textbox], [role=combobox]';

/** Returns what is known of the elements that can be seen, in their order on the page. Runs in the page. */
export const describeElements = `(elements) => elements.map((element, index) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const text = (element.innerText || element.value || element.placeholder || element.getAttribute('aria-label') || '').trim();
  const attributes = Object.fromEntries(['id', 'name', 'type', 'href', 'role', 'placeholder', 'aria-label']
    .flatMap((name) => element.hasAttribute(name) ? [[name, element.getAttribute(name)]] : []));
  return { index, tag: element.tagName.toLowerCase(), text: text.slice(0, 200), attributes, box: { x, y, width, height } };
})`;

/** Returns the elements of a selector that can be seen. Runs in the page. */
export const visibleElements = `(selector) => [...document.querySelectorAll(selector)].filter((element) => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden';
})`;

/** Returns the places of a text, without regard to case, with what stands around each. Runs in the page. */
export const findText = `(keyword) => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && found.length < 1000; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'].includes(parent.tagName)) continue;
    const text = node.data.toLowerCase();
    for (let at = text.indexOf(keyword.toLowerCase()); at >= 0; at = text.indexOf(keyword.toLowerCase(), at + 1)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + keyword.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      const context = node.data.slice(Math.max(0, at - 40), at + keyword.length + 40);
      found.push({ text: node.data.slice(at, at + keyword.length), context, tag: parent.tagName.toLowerCase(), box: { x, y, width, height } });
    }
  }
  return found;
}`;

/** Names the frames of services that ask whether a person is there. */
export const captchaFrames: readonly (readonly [string, RegExp])[] = [
  ['recaptcha', /(google\.com|recaptcha\.net)\/recaptcha\/(api2|enterprise)\/(anchor|bframe)/],
  ['hcaptcha', /hcaptcha\.com\/captcha/],
  ['turnstile', /challenges\.cloudflare\.com/],
  ['arkose', /arkoselabs\.com|funcaptcha\.com/],
  ['geetest', /geetest\.com/],
];
