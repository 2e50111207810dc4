/**
 * Nothing is animated, so that an action shows on the next frame. `--row` is a control's height, `--gap` the space
 * between controls.
 */
const shared = `
html,body{margin:0;background:#fff;overflow:hidden}
*{box-sizing:border-box;margin:0;user-select:none;-webkit-user-select:none}
[hidden]{display:none!important}
.screen{position:absolute;left:0;top:0;overflow:hidden;background:var(--page);color:var(--text);font:var(--font);cursor:default;contain:strict}
.at{position:absolute}
.card,.pop{background:var(--card);border:var(--edge) solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow)}
.card{overflow:hidden}
.pop{position:absolute;z-index:9;padding:2px;border-color:var(--muted);box-shadow:0 3px 9px rgba(0,0,0,.3);overflow:hidden}
.masthead{display:flex;align-items:center;gap:10px;padding:0 8px;background:var(--accent);color:var(--on-accent);white-space:pre;overflow:hidden}
.masthead i{flex:none;width:11px;height:11px;border:2px solid currentColor}
.masthead i.o{border-radius:50%}
.masthead i.q{border-width:2px 0}
.rail{background:var(--soft);border:solid var(--line);border-width:0 1px;padding:4px 0;overflow:hidden}
.rail>div{height:calc(var(--row) + 6px);display:flex;align-items:center;gap:6px;padding:0 8px;color:var(--muted);white-space:pre}
.rail>.lit{background:var(--tint);color:var(--text)}
.rail i{flex:none;width:10px;height:10px;border-radius:3px;background:currentColor;opacity:.6}
.caption{display:flex;align-items:center;padding:0 6px;font-weight:700;border-bottom:1px solid var(--line);white-space:pre}
.caption.window{gap:4px;background:var(--soft);color:var(--muted)}
.caption i{width:6px;height:6px;border-radius:50%;background:var(--muted);opacity:.6}
.caption i:last-of-type{margin-right:4px}
.filler{overflow:hidden}
.filler.card{padding:5px 7px}
.filler .across{height:var(--row);display:flex;align-items:center;gap:6px;white-space:pre}
.filler .across>span{overflow:hidden}
.filler .across>.btn,.filler .across>.field{height:calc(var(--row) - 3px)}
.filler .cells>span{flex:1;border-bottom:1px solid var(--line)}
.filler .face{flex:none;width:12px;height:12px;border-radius:50%;background:var(--line)}
.filler .box,.filler .dot{flex:none;width:11px;height:11px;border:1.5px solid var(--muted);border-radius:2px}
.filler .dot{border-radius:50%}
.filler .on{background:var(--accent);border-color:var(--accent)}
.filler .switch{flex:none;width:20px;height:11px;border-radius:6px;background:var(--line)}
.filler .switch.on{background:var(--accent)}
.filler .picture{height:100%;background:linear-gradient(-14deg,var(--line) 0 34%,transparent 34.5%),linear-gradient(22deg,var(--line) 0 26%,transparent 26.5%),var(--soft)}
.filler .figure{font-size:170%}
.filler .bars{height:100%;display:flex;align-items:flex-end;gap:6%}
.filler .bars i{flex:1;background:var(--accent);opacity:.7}
.skeleton{height:5px;border-radius:3px;background:var(--line)}
.muted{color:var(--muted)}
.down{position:absolute;inset:0;display:flex;flex-direction:column;gap:var(--gap)}
.across{display:flex;align-items:center;gap:var(--gap)}
.push{margin-top:auto}
.grow{flex:1;min-width:0;min-height:0}
.btn{flex:none;height:var(--row);padding:0 7px;display:flex;align-items:center;justify-content:center;border-radius:var(--radius);border:1px solid var(--muted);background:var(--card);white-space:pre;overflow:hidden}
.btn.solid{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.btn.soft{background:var(--soft);border-color:var(--line)}
.btn:hover{filter:brightness(.95)}
.pressed{outline:2px solid var(--accent);outline-offset:-1px;background:var(--tint);color:var(--text)}
.entry{height:var(--row);padding:0 6px;display:flex;align-items:center;white-space:pre;border-radius:calc(var(--radius)*.5);overflow:hidden}
.entry:hover{background:var(--tint);color:var(--text)}
.lit{background:var(--tint)}
.field{flex:1;min-width:0;height:var(--row);padding:0 5px;display:flex;align-items:center;border:1px solid var(--muted);border-radius:calc(var(--radius)*.6);background:var(--card);white-space:pre;overflow:hidden;cursor:text}
.field.focused{border-color:var(--accent);box-shadow:0 0 0 2px var(--tint)}
.field mark{background:var(--accent);color:var(--on-accent)}
.field .caret{flex:none;width:1px;height:1.1em;background:var(--text)}
`;

export const stylesheet = shared.replaceAll('\n', '');
