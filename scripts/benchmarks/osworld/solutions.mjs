// Solutions of OSWorld's tasks on a desktop of gyre with Debian 12's applications: turns of actions, by the first eight digits of a task's id.

/** Returns a click, in px of 1920 x 1080. */
const click = (x, y, type = 'click') => ({ type, point: { x: x / 1_920, y: y / 1_080 } });
const wait = (seconds) => ({ type: 'wait', seconds });
const type = (text) => ({ type: 'type', text });
const press = (keys) => ({ type: 'hotkey', keys });

/** Runs a command in a terminal, from the menu of the desktop. */
const inTerminal = (command, seconds = 2) => [
  [click(400, 300, 'right_click'), wait(1), click(450, 310), wait(5)],
  [type(command), press('enter'), wait(seconds)],
];

/** Changes VLC's simple preferences. */
const preferences = (...actions) => [[press('ctrl p'), wait(5)], actions, [click(1_224, 869), wait(2)]];

export const solutions = {
  // os
  e0df059f: inTerminal('mv ~/Desktop/todo_list_Jan_1 ~/Desktop/todo_list_Jan_2'),
  f9be0997: inTerminal('gsettings set org.gnome.desktop.notifications show-banners false'),
  a4d98375: inTerminal('gsettings set org.gnome.desktop.screensaver lock-enabled true'),
  bedcedc4: inTerminal('gsettings set org.gnome.desktop.session idle-delay 0'),
  '3ce045a0': inTerminal('gsettings set org.gnome.desktop.interface text-scaling-factor 1.5'),
  // multi_apps
  '2373b66a': inTerminal('sar -u 1 30 > ~/Desktop/System_Resources_Report.txt', 36),
  // vlc
  f3977615: preferences(click(600, 682)),
  a5bbbcd5: preferences(click(737, 472)),
  '8ba5ae7a': preferences(click(996, 237), wait(2), click(1_038, 669), type('/home/user/Desktop')),
};
