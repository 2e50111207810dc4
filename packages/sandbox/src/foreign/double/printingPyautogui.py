FAILSAFE = True
def size(): return (64, 48)
def position(): return (12, 34)
def click(x, y): print('click', x, y)
def press(key): print('press', key)
def typewrite(text): print('type', text)
def hotkey(*keys): print('hotkey', *keys)
