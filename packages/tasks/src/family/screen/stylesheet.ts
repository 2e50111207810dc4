import { mazeStylesheet } from '../../basics/mazeBoard.js';

const pencil =
  "url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 12'%3E%3Cpath d='M1 11l.6-2.8L8.3 1.5l2.2 2.2-6.7 6.7z'/%3E%3C/svg%3E\")";

/** No animation: an action's effect shows in the next frame. `renderScreen` sets the colours. */
export const stylesheet = `
html,body{margin:0;background:#fff;overflow:hidden}
*{box-sizing:border-box;caret-color:transparent;user-select:none;-webkit-user-select:none}
.screen{position:absolute;width:160px;height:160px;overflow:hidden;background:var(--page);color:var(--text);contain:strict}
.screen>*{position:absolute}
.card{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow)}
.appbar{background:var(--accent)}
.windowbar{background:var(--soft);border-bottom:1px solid var(--line);border-radius:calc(var(--radius) - 1px) calc(var(--radius) - 1px) 0 0}
.dot{background:var(--muted);border-radius:50%;opacity:.55}
.rule{background:var(--line)}
.skeleton{background:var(--line);border-radius:3px;opacity:.75}
.picture{background:linear-gradient(-14deg,var(--line) 0 34%,transparent 34.5%),linear-gradient(22deg,var(--line) 0 26%,transparent 26.5%),var(--soft);border:1px solid var(--line);border-radius:var(--radius)}
.avatar{background:radial-gradient(circle at 50% 38%,var(--muted) 0 3px,transparent 3.5px),radial-gradient(circle at 50% 108%,var(--muted) 0 6px,transparent 6.5px),var(--line);border-radius:50%}
.widget{margin:0;padding:0;border:0;background-color:transparent;color:var(--text);outline:0;display:flex;align-items:center;justify-content:center;white-space:pre;cursor:default}
.widget span{display:block}
.button{border-radius:var(--radius);border:1px solid transparent}
.button.solid{background-color:var(--accent);color:var(--on-accent);box-shadow:0 1px 2px rgba(0,0,0,.25),inset 0 1px 0 rgba(255,255,255,.22)}
.button.outline{border-color:var(--muted);background-color:var(--card)}
.button.soft{background-color:var(--soft);border-color:var(--line);box-shadow:0 1px 1px rgba(0,0,0,.08)}
.button.coloured{border-color:rgba(0,0,0,.22);box-shadow:0 1px 2px rgba(0,0,0,.25),inset 0 1px 0 rgba(255,255,255,.28)}
.button:hover,.shape.key:hover{filter:brightness(.96)}
.shape svg{width:100%;height:100%;display:block}
.shape{border-radius:5px}
.shape path{stroke:rgba(0,0,0,.28);stroke-width:1;stroke-linejoin:round}
.shape.key{padding:4px;background-color:var(--soft);border:1px solid var(--line);border-radius:var(--radius);box-shadow:0 1px 1px rgba(0,0,0,.08)}
.pressed{outline:2px solid var(--accent);outline-offset:1px}
.checkbox,.radio{justify-content:flex-start}
.checkbox i,.radio i{position:relative;flex:none;width:12px;height:12px;margin-right:4px;background:var(--card);border:1.5px solid var(--muted)}
.checkbox i{border-radius:3px}
.radio i{border-radius:50%}
.checkbox:hover i,.radio:hover i{border-color:var(--accent)}
.framed{padding:0 4px;border:1px solid var(--line);border-radius:var(--radius);background-color:var(--soft)}
[aria-checked=true] i{border-color:var(--accent)}
.checkbox[aria-checked=true] i{background:var(--accent)}
.checkbox[aria-checked=true] i::after{content:'';position:absolute;left:2.5px;top:0;width:3px;height:6px;border:solid var(--on-accent);border-width:0 1.5px 1.5px 0;transform:rotate(42deg)}
.radio[aria-checked=true] i::after{content:'';position:absolute;inset:1.5px;border-radius:50%;background:var(--accent)}
.framed[aria-checked=true]{border-color:var(--accent)}
.pill{justify-content:center;border:1px solid var(--muted);border-radius:20px;background-color:var(--card)}
.pill i{display:none}
.pill[aria-checked=true]{background-color:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.field{justify-content:flex-start;padding:0 6px 0 19px;overflow:hidden;cursor:text}
.field::before{content:'';position:absolute;left:6px;top:50%;width:9px;height:9px;margin-top:-5px;background:var(--muted);-webkit-mask:${pencil} center/contain no-repeat;mask:${pencil} center/contain no-repeat}
.field.box{border:1px solid var(--muted);border-radius:calc(var(--radius)*.7);background-color:var(--card)}
.field.line{border-bottom:1.5px solid var(--muted);background-color:var(--soft);border-radius:3px 3px 0 0}
.field:focus,.field.focused{border-color:var(--accent);box-shadow:0 0 0 2px color-mix(in srgb,var(--accent) 35%,transparent)}
.field:focus::before,.field.focused::before{background:var(--accent)}
.text{justify-content:flex-start}
.text.bar{color:var(--on-accent)}
.text.muted{color:var(--muted)}
${mazeStylesheet}
`.replaceAll('\n', '');
