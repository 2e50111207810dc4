import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pageFunction } from '../family/pageScript.js';

/** The part of MiniWoB++'s `core.js` that gyre uses. */
const core = `(${pageFunction(new URL('./core.test.page.bundle', import.meta.url))})();
// </script> in a script
`;

const press = `<!doctype html><html><head><title>Press Task</title>
<link rel="stylesheet" type="text/css" href="../core/core.css">
<script src="../core/core.js"></script>
<script>
var genProblem = function () {
  var right = Math.random() < 0.5 ? 'left' : 'right';
  document.querySelector('#query').textContent = 'Press ' + right + ' (' + core.mode + ')';
  for (const button of document.querySelectorAll('button'))
    button.onclick = () => core.endEpisode(button.id === right ? 0.5 : -1, true, button.id);
  var image = document.createElement('img');
  image.setAttribute('src', '../common/' + 'dot' + '.png');
  document.querySelector('#area').append(image);
};
window.onload = function () { core.startEpisode(); };
</script></head>
<body><div id="wrap"><div id="query"></div><div id="area"><button id="left">left</button><button id="right">right</button></div></div></body></html>`;

const idle = press
  .replace('Press Task', 'Idle Task')
  .replace('</script></head>', `core.getUtterance = () => ({ utterance: 'wait', fields: {} });</script></head>`)
  .replace('core.endEpisode(', 'void (');

const date = press
  .replace('Press Task', 'Date Task')
  .replace(
    '<button id="left">left</button>',
    '<select style="position:absolute;left:10px;top:160px"><option>a<option>b<option>c</select><input type="date" style="position:absolute;left:10px;top:120px;width:130px;height:30px">',
  )
  .replace('button.id === right ? 0.5', `document.querySelector('input').value === '2016-03-04' ? 1`);

const greatest = press.replace('Press Task', 'Find Greatest Task').replace('? 0.5 : -1', '? 1 : 0.1');

const menu = press.replace(
  ".textContent = 'Press ' + right + ' (' + core.mode + ')'",
  `.innerHTML = 'Click the item with the <span class="ui-icon ui-icon-seek-start"></span>  icon.'`,
);
const wheel = press.replace(
  ".textContent = 'Press ' + right + ' (' + core.mode + ')'",
  `.innerHTML = '<span>Select</span> <div style="background-color:#b9680b"></div> <span>with the wheel.</span>'`,
);

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const files: Readonly<Record<string, string | Uint8Array>> = {
  'core/core.js': core,
  'core/core.css':
    'body{margin:0;background:#555}#wrap{width:160px;height:210px;background:#fff url("../common/dot.png")}' +
    '#query{height:50px}button{position:absolute;top:60px;width:60px;height:40px}#left{left:10px}#right{left:90px}' +
    '#cover{position:absolute;inset:0;background:#aaf}#cover[hidden]{display:none}#area img{position:absolute;left:0;top:120px;width:20px;height:20px}',
  'common/dot.png': Buffer.from(dot, 'base64'),
  'miniwob/press.html': press,
  'miniwob/date.html': date,
  'miniwob/idle.html': idle,
  'miniwob/find-greatest.html': greatest,
  'miniwob/click-menu-2.html': menu,
  'miniwob/use-colorwheel-2.html': wheel,
  'miniwob/chase-circle.html': press,
};

export async function miniwobDouble(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-miniwob-double-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
