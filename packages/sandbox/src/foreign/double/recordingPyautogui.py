FAILSAFE = True
PAUSE = 0.1
_events = []
_names = set('enter tab esc backspace delete insert space left up right down home end pageup pagedown capslock alt ctrl win shift'.split())
_names |= {'f%d' % n for n in range(1, 13)}
def _tell(*event):
    _events.append(event)
def moveTo(x, y, duration=0.0): _tell('move', x, y)
def mouseDown(x=None, y=None, button='left'):
    if x is not None: moveTo(x, y)
    _tell('button', True, button)
def mouseUp(x=None, y=None, button='left'):
    if x is not None: moveTo(x, y)
    _tell('button', False, button)
def click(x=None, y=None, clicks=1, interval=0.0, button='left'):
    if x is not None: moveTo(x, y)
    for _ in range(clicks): mouseDown(button=button); mouseUp(button=button)
def rightClick(x=None, y=None): click(x, y, button='right')
def middleClick(x=None, y=None): click(x, y, button='middle')
def doubleClick(x=None, y=None): click(x, y, clicks=2)
def dragTo(x, y, duration=0.0, button='left'): mouseDown(button=button); moveTo(x, y); mouseUp(button=button)
def scroll(clicks): _tell('wheel', 0, clicks)
def hscroll(clicks): _tell('wheel', clicks, 0)
def _known(key): return key in _names or (len(key) == 1 and ' ' < key < '\x7f')
def keyDown(key):
    if _known(key): _tell('key', True, key)
def keyUp(key):
    if _known(key): _tell('key', False, key)
def hotkey(*keys):
    for key in keys: keyDown(key)
    for key in reversed(keys): keyUp(key)
def typewrite(message, interval=0.0):
    _tell('type', ''.join('>' if c == '<' else c for c in message if c in '\n\t' or ' ' <= c < '\x7f'))
