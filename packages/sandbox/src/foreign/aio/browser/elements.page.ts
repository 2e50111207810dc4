interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const interactive = [
  ...['a[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'summary'],
  ...['[contenteditable=""]', '[contenteditable=true]', '[onclick]'],
  ...['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem', 'option', 'switch', 'textbox', 'combobox'].map(
    (role) => `[role=${role}]`,
  ),
].join(', ');

const described = ['id', 'name', 'type', 'href', 'role', 'placeholder', 'aria-label'];
const maxMatches = 1_000;

export function visibleElements(): Element[] {
  return [...document.querySelectorAll(interactive)].filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden';
  });
}

export function describedElements(): object[] {
  return visibleElements().map((element, index) => {
    const { innerText, value, placeholder } = element as Partial<HTMLInputElement>;
    const text = (innerText || value || placeholder || element.getAttribute('aria-label') || '').trim();
    const attributes = Object.fromEntries(
      described.filter((name) => element.hasAttribute(name)).map((name) => [name, element.getAttribute(name)]),
    );
    const tag = element.tagName.toLowerCase();
    return { index, tag, text: text.slice(0, 200), attributes, box: boxOf(element) };
  });
}

/** Finds a text, ignoring case, with its context. */
export function findText(keyword: string): object[] {
  const matches: object[] = [];
  const sought = keyword.toLowerCase();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && matches.length < maxMatches; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'].includes(parent.tagName)) continue;
    const { data } = node as Text;
    const text = data.toLowerCase();
    for (let start = text.indexOf(sought); start >= 0; start = text.indexOf(sought, start + 1)) {
      const end = start + keyword.length;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      const context = data.slice(Math.max(0, start - 40), end + 40);
      matches.push({ text: data.slice(start, end), context, tag: parent.tagName.toLowerCase(), box: boxOf(range) });
    }
  }
  return matches;
}

function boxOf(place: Element | Range): Box {
  const { x, y, width, height } = place.getBoundingClientRect();
  return { x, y, width, height };
}
