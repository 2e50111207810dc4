/** In em, so that screens scale with their typeface. */
export const perceptionStylesheet = `
.slot{position:absolute;overflow:hidden;contain:strict}
.view{position:absolute;inset:0;overflow:hidden;display:flex;background:var(--page);color:var(--text);line-height:1.25;--p:calc(var(--pad)*1em);--g:calc(var(--gap)*1em)}
.view i,.view em{font-style:normal;display:block}
.view i{flex:none}
.view em{color:var(--muted);display:inline}
.col{display:flex;flex-direction:column;gap:var(--g);flex:1 1 0;min-width:0;padding:var(--inset);min-height:0}
.col.end{justify-content:flex-end}
.col.centre{justify-content:center}
.col.spread{justify-content:space-between}
.col>*,.stack>*{flex:none}
.stack{display:flex;flex-direction:column;gap:var(--g)}
.beside{display:flex;align-items:center;gap:var(--g);min-width:0}
.wrap{display:flex;flex-wrap:wrap;align-items:center;gap:var(--g)}
.from-end{justify-content:flex-end}
.from-centre{justify-content:center}
.apart{justify-content:space-between}
.grow{flex:1 1 0;min-width:0}
.grid{display:grid;gap:var(--g)}
.panel{background:var(--card);border:var(--border) solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow);padding:calc(var(--g)*.9 + .1em)}
.flat{padding:.1em 0}
.faint{color:var(--muted)}
.accented{color:var(--accent)}
.on-bar{background:var(--bar);color:var(--bar-on);--text:var(--bar-on);--muted:var(--bar-on);--accent:var(--bar-on);--on:var(--bar);--card:var(--bar);--soft:rgba(128,128,128,.35);--line:rgba(128,128,128,.6)}
.top{display:flex;align-items:center;gap:var(--g);padding:calc(var(--p) + .15em) .5em;flex:none;border-bottom:var(--edge) solid var(--line);background:var(--card)}
.top.on-bar{background:var(--bar)}
.beside.on-bar{padding:.2em .4em}
.side{flex:none;display:flex;flex-direction:column;gap:.15em;padding:.4em;background:var(--soft);border-right:1px solid var(--line)}
.glyph{width:1.25em;height:1.25em;flex:none;display:block;fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}
.words{white-space:nowrap;flex:none;max-width:max-content}
.words.flow{white-space:pre-wrap;overflow-wrap:anywhere;max-width:none}
.strong{font-weight:700}
.slant{font-style:italic}
.under{text-decoration:underline}
.btn{display:flex;align-items:center;justify-content:center;gap:.35em;flex:none;white-space:nowrap;padding:var(--p) calc(var(--p)*1.6 + .25em);border:var(--edge) solid transparent;border-radius:var(--radius)}
.btn.bare{padding:var(--p) calc(var(--p) + .05em)}
.btn.solid{background:var(--accent);color:var(--on);box-shadow:0 1px 2px rgba(0,0,0,.25)}
.btn.edged{border-color:var(--muted);background:var(--card);color:var(--text)}
.btn.quiet{background:var(--soft);border-color:var(--line);color:var(--text)}
.btn.plain{color:var(--accent);font-weight:700}
.btn.bare.plain{color:inherit}
.btn.off,.choice.off,.input.off,.switch.off{opacity:.5}
.btn.wide{flex:1 1 auto}
.btn.round{border-radius:2em}
.choice{display:flex;align-items:center;gap:.4em;white-space:nowrap;max-width:max-content}
.choice.boxed{padding:var(--p) .5em;border:var(--edge) solid var(--line);border-radius:var(--radius);background:var(--soft);max-width:none}
.tickbox{position:relative;width:1.05em;height:1.05em;border:max(1.5px,.1em) solid var(--muted);background:var(--card)}
.tickbox.checkbox{border-radius:.18em}
.tickbox.radio{border-radius:50%}
.tickbox.yes{border-color:var(--accent)}
.tickbox.checkbox.yes.tick,.tickbox.checkbox.yes.cross{background:var(--accent)}
.tickbox.checkbox.yes.tick::after{content:'';position:absolute;left:.24em;top:.03em;width:.25em;height:.5em;border:solid var(--on);border-width:0 max(1.5px,.13em) max(1.5px,.13em) 0;transform:rotate(42deg)}
.tickbox.checkbox.yes.fill::after{content:'';position:absolute;inset:.13em;background:var(--accent)}
.tickbox.checkbox.yes.cross::after{content:'';position:absolute;inset:.1em;background:linear-gradient(45deg,transparent 43%,var(--on) 43% 57%,transparent 57%),linear-gradient(-45deg,transparent 43%,var(--on) 43% 57%,transparent 57%)}
.tickbox.radio.yes::after{content:'';position:absolute;inset:.16em;border-radius:50%;background:var(--accent)}
.switch{position:relative;width:2em;height:1.1em;border-radius:1em;background:var(--line);border:1px solid var(--muted)}
.switch::after{content:'';position:absolute;left:.1em;top:calc(50% - .39em);width:.78em;height:.78em;border-radius:50%;background:var(--card);box-shadow:0 0 2px rgba(0,0,0,.6)}
.switch.yes{background:var(--accent);border-color:var(--accent)}
.switch.yes::after{left:auto;right:.1em;background:var(--on)}
.input{display:flex;align-items:center;gap:.3em;overflow:hidden;white-space:pre;padding:var(--p) .45em;min-height:calc(1.25em + 2*var(--p) + 2px);min-width:0}
.input>span{flex:1 1 auto;display:flex;align-items:center;min-width:0}
.input.box{border:var(--edge) solid var(--muted);border-radius:calc(var(--radius)*.7);background:var(--card)}
.input.line{border-bottom:2px solid var(--muted);background:transparent;padding-left:.15em}
.input.filled{border-bottom:2px solid var(--line);background:var(--soft);border-radius:.3em .3em 0 0}
.input.area{align-items:flex-start;white-space:pre-wrap}
.input.area>span{display:block}
.input.area .caret{display:inline-block;vertical-align:text-bottom}
.input.focused{border-color:var(--accent);box-shadow:0 0 0 2px var(--accent)}
.caret{flex:none;width:1.5px;height:1.1em;background:var(--text);margin:0 1px}
.input>.down{border:solid transparent;border-width:.36em .3em 0;border-top-color:var(--text);width:0;height:0}
.stepper{display:flex;flex:none;border:var(--edge) solid var(--line);border-radius:calc(var(--radius)*.7);background:var(--card);overflow:hidden}
.stepper>*{padding:calc(var(--p)*.9) .3em;display:flex;align-items:center;justify-content:center}
.count{min-width:2.2em;border:solid var(--line);border-width:0 1px}
.key-cap{background:var(--soft)}
.key-cap .glyph{width:1em;height:1em}
.yes .switch,.on-bar .switch{border-color:currentColor}
.slider{position:relative;height:1.25em;display:flex;align-items:center;flex:1 1 auto;min-width:3em;margin:0 .45em}
.track{flex:1 1 auto!important;height:.3em;border-radius:1em;background:var(--line)}
.track>i,.progress>i{height:100%;border-radius:1em;background:var(--accent)}
.knob{position:absolute;width:.9em;height:.9em;margin-left:-.45em;border-radius:50%;background:var(--accent);border:2px solid var(--card);box-shadow:0 0 2px rgba(0,0,0,.6)}
.progress{height:.55em;border-radius:1em;background:var(--line);flex:1 1 auto;overflow:hidden;min-width:3em}
.figure svg{width:100%;height:100%;display:block}
.figure path{stroke:rgba(0,0,0,.28);stroke-width:1;stroke-linejoin:round}
.badge{display:flex;align-items:center;flex:none;padding:0 .45em;border-radius:1em;background:var(--accent);color:var(--on);font-size:.92em;white-space:nowrap}
.chip{display:flex;align-items:center;gap:.3em;flex:none;padding:calc(var(--p)*.6) .6em;border-radius:2em;border:1px solid var(--line);background:var(--soft);white-space:nowrap}
.chip.yes{background:var(--accent);color:var(--on);border-color:var(--accent)}
.chip .glyph{width:.9em;height:.9em}
.item,.entry{display:flex;align-items:center;gap:.45em;padding:var(--p) .45em;white-space:nowrap}
.items{overflow:hidden;padding:.15em 0}
.items.lined>*+*{border-top:1px solid var(--line)}
.item.yes:not(.mild),.entry.yes{background:var(--accent);color:var(--on);--muted:var(--on)}
.item.yes.mild{background:var(--soft);box-shadow:inset .22em 0 0 var(--accent)}
.item>.words,.entry>.words{flex:1 1 auto}
.item>.spare,.entry>.spare{flex:1 1 auto}
.avatar-dot{width:1.5em;height:1.5em;border-radius:50%;background:radial-gradient(circle at 50% 38%,var(--muted) 0 22%,transparent 24%),radial-gradient(circle at 50% 108%,var(--muted) 0 42%,transparent 44%),var(--line)}
.table{border-collapse:collapse;width:100%}
.table th,.table td{padding:calc(var(--p)*.75) .4em;text-align:left;white-space:nowrap;font-weight:inherit;border-bottom:1px solid var(--line)}
.table.lined th,.table.lined td{border:1px solid var(--line)}
.table th{font-weight:700;background:var(--soft)}
.table.striped tr:nth-child(even) td{background:var(--soft)}
.table tr.yes td{background:var(--accent)!important;color:var(--on)}
.tabs{display:flex;flex:none}
.tab{display:flex;align-items:center;gap:.3em;padding:var(--p) .6em;white-space:nowrap;flex:none}
.tabs.line{border-bottom:1px solid var(--line)}
.tabs.line .tab{border-bottom:.2em solid transparent;color:var(--muted)}
.tabs.line .tab.yes{border-color:var(--accent);color:var(--text)}
.tabs.capsule{background:var(--soft);border-radius:var(--radius);padding:2px;gap:2px;max-width:max-content}
.tabs.capsule .tab{border-radius:var(--radius)}
.tabs.capsule .tab.yes{background:var(--accent);color:var(--on)}
.tabs.folder{border-bottom:var(--edge) solid var(--line);gap:2px}
.tabs.folder .tab{background:var(--soft);border:1px solid var(--line);border-bottom:0;border-radius:.35em .35em 0 0;color:var(--muted)}
.tabs.folder .tab.yes{background:var(--card);color:var(--text);font-weight:700;box-shadow:0 -2px 0 var(--accent)}
.crumbs{display:flex;align-items:center;gap:.3em;white-space:nowrap}
.crumbs>b{width:.4em;height:.4em;border:solid var(--muted);border-width:1.5px 1.5px 0 0;transform:rotate(45deg);margin-right:.15em;flex:none}
.crumbs>b.slash{border-width:0 0 0 1.5px;height:.9em;transform:rotate(20deg)}
.crumbs.ruled{border-bottom:1px solid var(--line);padding-bottom:.25em}
.crumb,.link{white-space:nowrap;flex:none;color:var(--accent);max-width:max-content}
.link{text-decoration:underline}
.crumb.yes{color:var(--text);font-weight:700}
.page{display:flex;align-items:center;justify-content:center;min-width:1.8em;padding:calc(var(--p)*.8) .3em;border-radius:calc(var(--radius)*.7);border:1px solid var(--line);background:var(--card);flex:none}
.page.yes{background:var(--accent);color:var(--on);border-color:var(--accent)}
.days{display:grid;grid-template-columns:repeat(7,1fr);gap:1px}
.days>*{display:flex;align-items:center;justify-content:center;padding:calc(var(--p)*.4) 0;min-width:1.5em}
.day.yes{background:var(--accent);color:var(--on);border-radius:calc(var(--radius)*.6)}
.bubble{max-width:82%;padding:calc(var(--p)*.9) .6em;border-radius:.9em;background:var(--soft);border:1px solid var(--line);align-self:flex-start;overflow-wrap:anywhere}
.bubble.square{border-radius:.25em}
.bubble.mine{align-self:flex-end;background:var(--accent);color:var(--on);border-color:var(--accent)}
.code{font-family:'DejaVu Sans Mono','Liberation Mono',monospace;padding:.35em .5em;white-space:pre;overflow:hidden}
.code .words{max-width:none}
.chart{display:flex;align-items:flex-end;gap:.5em;border-bottom:1.5px solid var(--muted);padding:0 .4em}
.chart>div{flex:1 1 0;display:flex;flex-direction:column;align-items:center;justify-content:flex-end;gap:.1em;min-width:0}
.bar-fill{width:100%;background:var(--accent);border-radius:.2em .2em 0 0}
.chart-names{display:flex;gap:.5em;padding:.15em .4em 0}
.chart-names>div{flex:1 1 0;text-align:center;white-space:nowrap;min-width:0}
.photo{background:linear-gradient(-14deg,var(--line) 0 34%,transparent 34.5%),linear-gradient(22deg,var(--muted) 0 26%,transparent 26.5%),linear-gradient(180deg,var(--soft),var(--card));border-radius:calc(var(--radius)*.8);overflow:hidden;display:flex;flex-direction:column;justify-content:flex-end}
.photo>.words{padding:.2em .4em}
.photo>.words.veiled{background:rgba(0,0,0,.55);color:#fff;max-width:none}
.greys{display:flex;flex-direction:column;gap:.5em}
.greys>i{height:.5em;border-radius:.25em;background:var(--line)}
.over{position:absolute;inset:0;display:flex;align-items:center;justify-content:center;background:rgba(0,0,0,.5)}
.over.pale{background:rgba(255,255,255,.6)}
.over.open{background:none}
.dialog{background:var(--card);border:var(--edge) solid var(--line);border-radius:var(--radius);box-shadow:0 6px 24px rgba(0,0,0,.45);padding:.7em;display:flex;flex-direction:column;gap:calc(var(--g)*1.1);max-width:94%}
.popup{position:absolute;background:var(--card);border:1px solid var(--line);border-radius:calc(var(--radius)*.6);box-shadow:0 3px 14px rgba(0,0,0,.4);padding:.2em 0}
.entry>.keys{color:var(--muted);margin-left:1em}
.entry.yes>.keys{color:inherit}
.tip{position:absolute;padding:.2em .5em;border-radius:.35em;background:var(--text);color:var(--card);white-space:nowrap}
.split-line{height:1px;background:var(--line)}
`.replaceAll('\n', '');
