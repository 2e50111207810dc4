const $ = (id) => document.getElementById(id);
const [canvas, toast] = [$('screen'), $('toast')];
const context = canvas.getContext('2d', { alpha: false });
const api = location.pathname.replace(/\/view$/, '');

/** Double-click wait and hold time in ms, drag threshold in px. */
const doubleClickMs = 220;
const holdMs = 300;
const dragPx = 4;

// Fragments are never sent to a server; the token must not stay in the address.
const parameters = new URLSearchParams(location.hash.slice(1));
const stored = (key) => parameters.get(key) ?? sessionStorage.getItem(`gyre-${key}`) ?? '';
let token = stored('token');
const name = stored('name');
$('task').textContent = stored('task');
$('task').hidden = stored('task') === '';
for (const [key, value] of parameters) sessionStorage.setItem(`gyre-${key}`, value);
if (location.hash !== '') history.replaceState(null, '', location.pathname);
addEventListener('hashchange', () => location.reload());

let session;
/** Defined while in control. */
let control;
let recording;
let over = false;
const times = [];

/** A WebSocket cannot carry headers, so the token is a subprotocol. */
function open(path) {
  const url = new URL(api + path, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const bearer = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return new WebSocket(url, ['gyre', `gyre.bearer.${bearer}`]);
}

async function ask(method, path, body) {
  const response = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error?.message ?? `the server answers with status ${response.status}`);
}

function say(text) {
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (toast.hidden = true), 5_000);
}

function show() {
  const { id, kind, size, heldBy, mayControl } = session ?? {};
  $('title').textContent = id ?? 'gyre';
  document.title = id ? `${id} – gyre` : 'gyre live view';
  $('facts').textContent = session ? `${kind} · ${size.width} × ${size.height}` : '';
  const [look, words] = over
    ? ['', 'ended']
    : !session
      ? ['', 'connecting']
      : control
        ? ['held', 'you have taken over']
        : heldBy !== undefined
          ? ['held', `${heldBy} has taken over`]
          : ['live', 'live'];
  $('state').className = `state ${look}`;
  $('stateText').textContent = words;
  const mine = control !== undefined;
  $('take').hidden = !mayControl || over;
  $('take').disabled = !mine && heldBy !== undefined;
  $('take').textContent = mine ? 'Give back' : 'Take over';
  $('take').classList.toggle('given', mine);
  $('wait').hidden = !mine || kind !== 'browser';
  $('record').hidden = !mayControl || (over && !recording);
  $('record').classList.toggle('on', recording !== undefined);
  canvas.classList.toggle('mine', mine);
  canvas.classList.toggle('stale', over || !session);
}

function notice(text, forToken = false) {
  $('notice').hidden = text === '';
  $('noticeText').textContent = text;
  $('tokenForm').hidden = !forToken;
  if (forToken) $('token').focus();
}

function showRate() {
  const now = performance.now();
  while (times.length > 0 && times[0] < now - 2_000) times.shift();
  $('rate').textContent = session && !over ? `${Math.round(times.length / 2)} fps` : '';
  if (recording) {
    const seconds = Math.floor((now - recording.begun) / 1_000);
    $('recordText').textContent = `Stop ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }
}
setInterval(showRate, 500);

function watch(retryMs = 500) {
  if (token === '') return notice('This session is shown to who has a token.', true);
  const socket = open('/frames?perSecond=30&acks=true');
  socket.binaryType = 'arraybuffer';
  socket.onmessage = async ({ data }) => {
    if (typeof data !== 'string') {
      const picture = await createImageBitmap(new Blob([data], { type: 'image/png' })).catch(() => undefined);
      if (picture) {
        if (canvas.width !== picture.width || canvas.height !== picture.height) {
          [canvas.width, canvas.height] = [picture.width, picture.height];
          fit();
        }
        context.drawImage(picture, 0, 0);
        picture.close();
        times.push(performance.now());
      }
      if (socket.readyState === WebSocket.OPEN) socket.send('');
      return;
    }
    const message = JSON.parse(data);
    if (!message.session) return;
    const met = session !== undefined;
    session = message.session;
    notice('');
    show();
    // Links with `play` take control at once.
    if (!met && parameters.has('play') && session.mayControl && !control) takeOver();
  };
  socket.onclose = async ({ code, reason }) => {
    const met = session !== undefined;
    if (code === 1000 || code >= 4_000) {
      over = true;
      show();
      return notice(code === 1000 ? 'The session has ended.' : reason);
    }
    session = undefined;
    show();
    if (!met) {
      // Unlike a request, a refused WebSocket gives no reason.
      const refused = await ask('GET', '').then(
        () => undefined,
        (error) => error,
      );
      if (refused && !(refused instanceof TypeError)) return notice(`${refused.message}.`, true);
    }
    notice('The server does not answer. Trying again …');
    setTimeout(() => watch(Math.min(retryMs * 2, 8_000)), retryMs);
  };
}

const waiting = [];
let underway = 0;
let count = 0;

/** Merges pending actions. */
function act(action) {
  if (!control) return;
  const last = waiting.at(-1);
  if (last?.type === action.type && action.type === 'mouse_move') waiting.pop();
  if (last?.type === 'type' && action.type === 'type' && last.text.length < 500) last.text += action.text;
  else waiting.push(action);
  next();
}

function next() {
  if (underway > 0 || waiting.length === 0 || control?.readyState !== WebSocket.OPEN) return;
  underway++;
  control.send(JSON.stringify({ id: ++count, action: waiting.shift() }));
}

function takeOver() {
  const socket = open(`/control${name === '' ? '' : `?name=${encodeURIComponent(name)}`}`);
  socket.onopen = () => {
    control = socket;
    [waiting.length, underway] = [0, 0];
    canvas.focus();
    show();
  };
  socket.onmessage = ({ data }) => {
    underway--;
    const { error } = JSON.parse(data);
    if (error) say(error.message);
    next();
  };
  socket.onclose = ({ code, reason }) => {
    if (code >= 4_000) say(reason);
    control = undefined;
    release();
    show();
  };
}

$('take').onclick = () => (control ? control.close() : takeOver());
$('wait').onclick = () => {
  act({ type: 'wait', seconds: 1 });
  canvas.focus();
};

/** Maps to the session's screen, 0..1. */
function pointAt({ clientX, clientY }) {
  const box = canvas.getBoundingClientRect();
  const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
  const [width, height] = [canvas.width * scale, canvas.height * scale];
  const within = (value) => Math.min(1, Math.max(0, value));
  return {
    x: within((clientX - box.left - (box.width - width) / 2) / width),
    y: within((clientY - box.top - (box.height - height) / 2) / height),
  };
}

function fit() {
  const box = canvas.getBoundingClientRect();
  canvas.classList.toggle('small', Math.min(box.width / canvas.width, box.height / canvas.height) >= 2);
}
addEventListener('resize', fit);

const buttons = ['left', 'middle', 'right'];
const clicks = { left: 'click', middle: 'middle_click', right: 'right_click' };
/** The pressed button, its start, and whether it was sent. */
let down;
let click;
let moved = 0;

function release() {
  clearTimeout(down?.timer);
  clearTimeout(click?.timer);
  down = click = undefined;
}

/** Sends the press; from now on the button moves live. */
function hold() {
  if (!down || down.isPressed) return;
  clearTimeout(down.timer);
  down.isPressed = true;
  act({ type: 'mouse_down', point: down.point, button: down.button });
}

const far = (one, event) => Math.hypot(one.clientX - event.clientX, one.clientY - event.clientY) > dragPx;

canvas.onpointerdown = (event) => {
  if (!control || down) return;
  event.preventDefault();
  canvas.focus();
  canvas.setPointerCapture(event.pointerId);
  const { clientX, clientY } = event;
  const second = click !== undefined && event.button === 0 && !far(click, event);
  if (click) {
    clearTimeout(click.timer);
    if (!second) act(click.action);
    click = undefined;
  }
  const button = buttons[event.button] ?? 'left';
  down = { button, clientX, clientY, point: pointAt(event), second, isPressed: false, timer: setTimeout(hold, holdMs) };
};

canvas.onpointermove = (event) => {
  if (!control) return;
  if (down) {
    if (far(down, event)) hold();
    if (down.isPressed) act({ type: 'mouse_move', point: pointAt(event) });
    return;
  }
  // With frozen time, each move is a browser step.
  const restMs = session?.kind === 'browser' ? 200 : 40;
  if (click || underway > 0 || event.timeStamp < moved + restMs) return;
  moved = event.timeStamp;
  act({ type: 'mouse_move', point: pointAt(event) });
};

canvas.onpointerup = (event) => {
  if (!control || !down) return;
  const { button, point, second, isPressed, clientX, clientY } = down;
  clearTimeout(down.timer);
  down = undefined;
  if (isPressed) return act({ type: 'mouse_up', point: pointAt(event), button });
  if (second) return act({ type: 'double_click', point });
  const action = { type: clicks[button], point };
  if (button !== 'left') return act(action);
  const timer = setTimeout(() => {
    click = undefined;
    act(action);
  }, doubleClickMs);
  click = { action, clientX, clientY, timer };
};
canvas.onpointercancel = (event) => down?.isPressed && canvas.onpointerup(event);
canvas.oncontextmenu = (event) => control && event.preventDefault();

let turned = { x: 0, y: 0 };
canvas.addEventListener(
  'wheel',
  (event) => {
    if (!control) return;
    event.preventDefault();
    const unit = event.deltaMode === 0 ? 1 : 40;
    turned = { x: turned.x + event.deltaX * unit, y: turned.y + event.deltaY * unit };
    const [along, directions] =
      Math.abs(turned.y) >= Math.abs(turned.x) ? [turned.y, ['up', 'down']] : [turned.x, ['left', 'right']];
    if (Math.abs(along) < 60 || waiting.length > 0) return;
    turned = { x: 0, y: 0 };
    act({ type: 'scroll', point: pointAt(event), direction: directions[along > 0 ? 1 : 0] });
  },
  { passive: false },
);

const modifiers = ['Control', 'Alt', 'AltGraph', 'Shift', 'Meta'];

canvas.onkeydown = (event) => {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  if (!control || event.isComposing || modifiers.includes(key)) return;
  const character = [...key].length === 1;
  if (!character && !/^(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(Up|Down)|Arrow\w+|F\d+)$/.test(key))
    return;
  event.preventDefault();
  const typed = character && ((!ctrlKey && !altKey && !metaKey) || event.getModifierState('AltGraph'));
  if (typed) return act({ type: 'type', text: key });
  const names = [ctrlKey && 'ctrl', altKey && 'alt', metaKey && 'meta', shiftKey && 'shift'].filter(Boolean);
  const named = key === ' ' ? 'space' : key.toLowerCase();
  if (names.length < 3) act({ type: 'hotkey', keys: [...names, named].join(' ') });
};

$('full').onclick = () => (document.fullscreenElement ? document.exitFullscreen() : $('stage').requestFullscreen());

$('record').onclick = async () => {
  $('record').disabled = true;
  try {
    if (!recording) {
      const { id } = await (await ask('POST', '/recordings', { format: 'mp4', fps: 10 })).json();
      recording = { id, begun: performance.now() };
    } else {
      const path = `/recordings/${recording.id}`;
      recording = undefined;
      $('recordText').textContent = 'Record';
      await ask('POST', `${path}/stop`);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await (await ask('GET', path)).blob());
      link.download = `${session?.id ?? 'session'}.mp4`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    }
  } catch (error) {
    say(error.message);
  }
  $('record').disabled = false;
  show();
};

$('tokenForm').onsubmit = (event) => {
  event.preventDefault();
  token = $('token').value.trim();
  sessionStorage.setItem('gyre-token', token);
  notice('');
  watch();
};

show();
watch();
