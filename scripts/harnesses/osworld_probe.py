"""Shows a text field that covers the screen, and writes every input that reaches it to ~/probe.log, its text to ~/probe.txt.

`kill -USR1` empties both. A check of OSWorld's clients runs it in the session that they drive.
"""

import json
import os
import signal
import tkinter

home = os.path.expanduser("~")
log = open(f"{home}/probe.log", "w", buffering=1)

root = tkinter.Tk(className="Probe")
root.title("probe")
width, height = root.winfo_screenwidth(), root.winfo_screenheight()
root.attributes("-fullscreen", True)
field = tkinter.Text(root, undo=True)
field.place(x=0, y=0, width=width, height=height)
field.focus_force()


def write(kind, event, detail):
    log.write(json.dumps({"kind": kind, "detail": detail, "x": event.x_root, "y": event.y_root, "state": event.state}) + "\n")



def button(event):
    # Tk makes a wheel with shift of the buttons that scroll to the left and the right.
    return event.num + 2 if event.num in (4, 5) and event.state & 1 else event.num


root.bind_all("<Button>", lambda event: write("down", event, button(event)), add="+")
root.bind_all("<ButtonRelease>", lambda event: write("up", event, button(event)), add="+")
# The most special binding of a tag is heard alone.
field.bind("<Double-Button>", lambda event: write("double", event, event.num), add="+")
root.bind_all("<Motion>", lambda event: write("motion", event, None), add="+")
root.bind_all("<KeyPress>", lambda event: write("key", event, event.keysym), add="+")
root.bind_all("<KeyRelease>", lambda event: write("release", event, event.keysym), add="+")

shown = None
emptied = False


def empty(*_):
    global emptied
    emptied = True


signal.signal(signal.SIGUSR1, empty)


def look():
    global shown, emptied
    if emptied:
        emptied = False
        field.delete("1.0", "end")
        field.focus_force()
        log.truncate(0)
        log.seek(0)
    text = field.get("1.0", "end-1c")
    if text != shown:
        shown = text
        with open(f"{home}/probe.txt.new", "w") as file:
            file.write(text)
        os.replace(f"{home}/probe.txt.new", f"{home}/probe.txt")
    root.after(20, look)


look()
with open(f"{home}/probe.pid", "w") as file:
    file.write(str(os.getpid()))
root.mainloop()
