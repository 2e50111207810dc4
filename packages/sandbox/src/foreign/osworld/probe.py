"""Fails where programs for pyautogui and pyperclip cannot run; the last line of stderr says why."""

import shutil, sys
import pyautogui, pyperclip
if not any(map(shutil.which, ("xclip", "xsel", "wl-copy"))):
    sys.exit("there is neither xclip nor xsel, which pyperclip needs")
