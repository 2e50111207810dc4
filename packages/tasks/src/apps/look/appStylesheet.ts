/** Nothing is animated, so that an action shows on the next frame. */
export const appStylesheet = `
html,body{margin:0;height:100%;overflow:hidden;background:var(--page)}
*{box-sizing:border-box;caret-color:transparent;scrollbar-width:none}
.app{position:absolute;inset:0;display:flex;flex-direction:column;overflow:hidden;background:var(--page);color:var(--text);font:var(--font);user-select:none;-webkit-user-select:none;cursor:default}
.app *{min-width:0}
.ico{flex:none;width:1.25em;height:1.25em;fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round;display:block}
.ico.full{fill:currentColor}
.bar{flex:none;display:flex;align-items:center;gap:8px;height:42px;padding:0 12px}
.bar-accent .bar{background:var(--accent);color:var(--on-accent)}
.bar-card .bar{background:var(--card);border-bottom:1px solid var(--line)}
.bar-plain .bar{border-bottom:1px solid var(--line)}
.brand{font-weight:700;font-size:1.15em;display:flex;align-items:center;gap:7px;white-space:nowrap}
.grow{flex:1}
.body{flex:1;min-height:0;display:flex}
.side-right .body{flex-direction:row-reverse}
.side{flex:none;width:140px;padding:8px;display:flex;flex-direction:column;gap:2px;overflow:hidden}
.pane{flex:1;min-height:0;display:flex;flex-direction:column;overflow:hidden}
.panel{background:var(--card);border:var(--edge) solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow)}
.scroll{flex:1;min-height:0;overflow-y:auto;overflow-x:hidden}
.across{display:flex;align-items:center;gap:8px}
.down{display:flex;flex-direction:column;gap:8px}
.tools{flex:none;display:flex;align-items:center;gap:6px;min-height:40px;padding:5px 10px;border-bottom:1px solid var(--line)}
.btn{flex:none;display:inline-flex;align-items:center;justify-content:center;gap:6px;height:28px;padding:0 11px;border:1px solid var(--line);border-radius:calc(var(--radius)*.75);background:var(--card);color:var(--text);white-space:nowrap;cursor:pointer}
.btn:hover{filter:brightness(.96)}
.buttons-soft .btn{background:var(--soft)}
.buttons-outline .btn{border-color:var(--muted);background:transparent}
.btn.main,.buttons-soft .btn.main{background:var(--accent);color:var(--on-accent);border-color:transparent;font-weight:700}
.buttons-outline .btn.main{border:1.5px solid var(--accent);background:transparent;color:var(--accent);font-weight:700}
.bar-accent .bar .btn.main{background:var(--on-accent);color:var(--accent)}
.btn.on,.buttons-soft .btn.on,.buttons-outline .btn.on{background:var(--tint);border-color:var(--accent);color:var(--text)}
.btn.icon{width:28px;padding:0}
.btn.quiet,.buttons-soft .btn.quiet,.buttons-outline .btn.quiet{background:transparent;border-color:transparent;color:inherit}
.btn.quiet.on{background:var(--tint);color:var(--text)}
.btn.off{opacity:.45}
.bar-accent .bar .btn:not(.main):not(.quiet){color:var(--text)}
.bar-accent.buttons-outline .bar .btn:not(.main):not(.on){color:inherit;border-color:currentColor}
.bar-accent.buttons-outline .bar .btn.quiet:not(.on){border-color:transparent}
.link{color:var(--accent);cursor:pointer;white-space:nowrap}
.link:hover{text-decoration:underline}
.item{display:flex;align-items:center;gap:8px;min-height:28px;padding:3px 9px;border-radius:calc(var(--radius)*.75);cursor:pointer;white-space:nowrap}
.item>span:first-of-type{overflow:hidden;text-overflow:ellipsis}
.item:hover{background:color-mix(in srgb,var(--tint) 50%,transparent)}
.item.on{background:var(--tint);font-weight:700}
.count{margin-left:auto;color:var(--muted);font-size:.88em}
.head{padding:8px 9px 3px;color:var(--muted);font-size:.85em;font-weight:700;white-space:nowrap}
.row{display:flex;align-items:center;gap:9px;padding:6px 11px;cursor:pointer}
.rows-lined .row{border-bottom:1px solid var(--line)}
.rows-zebra .row:nth-child(even){background:var(--soft)}
.rows-boxed .row{margin:5px 7px;border:1px solid var(--line);border-radius:calc(var(--radius)*.75);background:var(--card)}
.row:hover{background:color-mix(in srgb,var(--tint) 45%,transparent)}
.row.on,.rows-zebra .row.on{background:var(--tint)}
.cut{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.muted{color:var(--muted)}
.strong{font-weight:700}
.small{font-size:.88em}
.title{font-size:1.25em;font-weight:700}
.right{text-align:right}
.ent{height:28px;padding:0 9px;border:1px solid var(--muted);border-radius:calc(var(--radius)*.7);background:var(--card);color:var(--text);font:inherit;outline:0;width:100%}
textarea.ent{height:auto;padding:6px 9px;resize:none;display:block}
.ent:focus{border-color:var(--accent);box-shadow:0 0 0 2px color-mix(in srgb,var(--accent) 35%,transparent)}
.ent::placeholder{color:var(--muted);opacity:.9}
.ent::selection,.pick ::selection,.pick::selection{background:color-mix(in srgb,var(--accent) 45%,transparent)}
.ent.bad{border-color:#d23b34;box-shadow:0 0 0 2px rgba(210,59,52,.25)}
.bad-note{color:#d23b34;font-size:.88em}
.find{display:flex;align-items:center;gap:6px;flex:1;max-width:260px;position:relative;color:var(--text)}
.find .ico{position:absolute;left:8px;color:var(--muted)}
.find .ent{padding-left:30px}
.label{display:block;color:var(--muted);font-size:.88em;margin-bottom:2px}
.drop{position:relative;flex:none}
.drop .btn .ico{width:1em;height:1em}
.list{position:absolute;z-index:30;top:calc(100% + 3px);left:0;min-width:100%;padding:4px;background:var(--card);color:var(--text);border:1px solid var(--line);border-radius:var(--radius);box-shadow:0 4px 16px rgba(0,0,0,.28)}
.list.end{left:auto;right:0}
.list.above{top:auto;bottom:calc(100% + 3px)}
.list .item{min-height:26px;font-weight:400}
.box{flex:none;display:grid;place-items:center;width:16px;height:16px;border:1.5px solid var(--muted);border-radius:3px;background:var(--card);color:var(--on-accent);cursor:pointer}
.box.round{border-radius:50%}
.box.on{background:var(--accent);border-color:var(--accent)}
.box .ico{width:12px;height:12px;stroke-width:3.5}
.tick{display:inline-flex;align-items:center;gap:8px;cursor:pointer;min-height:26px}
.switch{flex:none;position:relative;width:36px;height:20px;border-radius:10px;background:var(--muted);cursor:pointer}
.switch::after{content:'';position:absolute;left:3px;top:3px;width:14px;height:14px;border-radius:50%;background:var(--card)}
.switch.on{background:var(--accent)}
.switch.on::after{left:19px}
.chip{flex:none;display:inline-flex;align-items:center;gap:4px;height:19px;padding:0 8px;border-radius:10px;font-size:.85em;background:var(--tint);color:var(--text);white-space:nowrap}
.face{flex:none;display:grid;place-items:center;width:30px;height:30px;border-radius:50%;background:hsl(var(--hue) 45% 42%);color:#fff;font-size:12px;font-weight:700}
.veil{position:absolute;inset:0;z-index:40;display:grid;place-items:center;background:rgba(0,0,0,.42)}
.dialog{width:400px;max-height:94%;display:flex;flex-direction:column;gap:10px;padding:15px 18px;background:var(--card);border:var(--edge) solid var(--line);border-radius:calc(var(--radius)*1.3);box-shadow:0 8px 30px rgba(0,0,0,.35)}
.dialog .end{display:flex;justify-content:flex-end;gap:8px;margin-top:4px}
.toast{position:absolute;z-index:50;left:50%;bottom:14px;transform:translateX(-50%);padding:7px 15px;border-radius:var(--radius);background:var(--text);color:var(--card);box-shadow:0 3px 12px rgba(0,0,0,.3);white-space:nowrap;pointer-events:none}
.void{display:grid;place-items:center;flex:1;padding:30px;color:var(--muted)}
`.replaceAll('\n', '');
