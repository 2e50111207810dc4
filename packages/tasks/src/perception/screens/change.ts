import type { Random } from '../../family/random.js';
import type { Draft, Kit } from './kit.js';
import { overlays } from './overlay.js';
import type { Phrase } from '../words/phrase.js';
import type { ClassicScene } from './classic.js';
import type { Scene } from './scene.js';

export interface Change {
  readonly draft: Draft;
  readonly text: Phrase;
  readonly gone?: boolean;
  apply(): void;
}

/** Draws a possible change. Leaves the scene unchanged until applied. */
export function drawChange(scene: Scene | ClassicScene, random: Random): Change | undefined {
  if (!('kit' in scene)) return undefined;
  const { kit, overlay } = scene;
  if (overlay && random.chance(0.8)) {
    const wasShown = random.chance(0.65);
    overlay.visible = !wasShown;
    const name = overlay.kind === 'menu' ? '' : ` "${overlay.title.label}"`;
    const zh = { dialog: '对话框', menu: '菜单', tooltip: '提示' }[overlay.kind];
    return {
      draft: overlay.title,
      gone: !wasShown,
      apply: () => void (overlay.visible = wasShown),
      text: wasShown
        ? { en: `a ${overlay.kind}${name} opened`, zh: `打开了${zh}${name.trim()}` }
        : { en: `the ${overlay.kind}${name} closed`, zh: `关闭了${zh}${name.trim()}` },
    };
  }
  // Elements under an overlay may be covered.
  const able = kit.drafts.filter((draft) => !draft.disabled && (!overlay || overlays.has(draft)));
  for (const draft of random.shuffle(able).slice(0, 12)) {
    const change = changeOf(kit, draft, random);
    if (change) return change;
  }
  return undefined;
}

function changeOf(kit: Kit, draft: Draft, random: Random): Change | undefined {
  const called = draft.label || draft.name || draft.row;
  const peers = kit.drafts.filter(
    ({ group, kind }) => group !== undefined && group === draft.group && kind === draft.kind,
  );
  const only = (key: 'checked' | 'current') => () => {
    for (const peer of peers) peer[key] = false;
    draft[key] = true;
  };
  switch (draft.kind) {
    case 'checkbox':
    case 'switch': {
      if (!called) return undefined;
      const to = !draft.checked;
      const [yes, no] = draft.kind === 'checkbox' ? ['ticked', 'unticked'] : ['switched on', 'switched off'];
      const [yesZh, noZh] = draft.kind === 'checkbox' ? ['勾选了', '取消了'] : ['开启了', '关闭了'];
      return {
        draft,
        apply: () => void (draft.checked = to),
        text: { en: `"${called}" was ${to ? yes : no}`, zh: `${to ? yesZh : noZh}"${called}"` },
      };
    }
    case 'radio':
      if (draft.checked) return undefined;
      return { draft, apply: only('checked'), text: { en: `"${called}" was chosen`, zh: `选择了"${called}"` } };
    case 'tab':
      if (draft.current) return undefined;
      return { draft, apply: only('current'), text: { en: `tab "${called}" was chosen`, zh: `选择了标签"${called}"` } };
    case 'item':
    case 'entry':
    case 'day':
    case 'page':
    case 'row':
      if (draft.current !== false || !peers.some(({ current }) => current)) return undefined;
      return { draft, apply: only('current'), text: { en: `"${called}" was chosen`, zh: `选择了"${called}"` } };
    case 'field': {
      if (draft.label !== '') return undefined;
      const typed = kit.wording.value(random.pick([3, 4, 6]));
      return {
        draft,
        apply: () => {
          for (const other of kit.drafts) if (other.focused) other.focused = false;
          draft.focused = true;
          draft.label = typed;
        },
        text: { en: `"${typed}" was typed`, zh: `输入了"${typed}"` },
      };
    }
    case 'stepper': {
      const to = String(Number(draft.label) + (random.chance(0.5) || draft.label === '0' ? 1 : -1));
      return {
        draft,
        apply: () => void (draft.label = to),
        text: { en: `"${draft.name}" became "${to}"`, zh: `"${draft.name}"变为"${to}"` },
      };
    }
    case 'slider': {
      const from = draft.value ?? 0;
      const to = from < 50 ? from + random.between(5, 10) * 5 : from - random.between(5, 10) * 5;
      return {
        draft,
        apply: () => void (draft.value = to),
        text:
          to > from
            ? { en: `"${draft.name}" went up`, zh: `"${draft.name}"变大了` }
            : { en: `"${draft.name}" went down`, zh: `"${draft.name}"变小了` },
      };
    }
    default:
      return undefined;
  }
}
