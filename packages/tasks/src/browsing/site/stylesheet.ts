/** Nothing is animated. */
export const siteStyles = `
html,body{margin:0;height:100%;overflow:hidden}
*{box-sizing:border-box;caret-color:transparent;user-select:none;-webkit-user-select:none}
body{display:flex;flex-direction:column;background:var(--page);color:var(--text);font:var(--size)/1.45 var(--family)}
.bar{flex:none;display:flex;align-items:center;gap:4px;height:34px;padding:0 8px;background:#dfe2e7;border-bottom:1px solid #c3c7ce;
  font:13px/1 'Liberation Sans',sans-serif;color:#2b2f36}
.tool{flex:none;width:28px;height:26px;border-radius:5px;position:relative}
.tool:hover{background:#cdd1d8}
.tool.off{opacity:.32}
.tool::before,.tool::after{content:'';position:absolute;box-sizing:content-box}
.back::before{left:11px;top:9px;width:7px;height:7px;border:solid #2b2f36;border-width:0 0 2px 2px;transform:rotate(45deg)}
.forward::before{left:7px;top:9px;width:7px;height:7px;border:solid #2b2f36;border-width:2px 2px 0 0;transform:rotate(45deg)}
.home::before{left:9px;top:6px;width:8px;height:8px;border:solid #2b2f36;border-width:2px 0 0 2px;transform:rotate(45deg)}
.home::after{left:9px;top:12px;width:6px;height:6px;border:solid #2b2f36;border-width:0 2px 2px}
.field{position:relative;height:26px;overflow:hidden;white-space:pre;line-height:24px;padding:0 9px;background:#fff;color:#1c2026;border:1px solid #b9bec7}
.field.focused{border-color:#3b6fd6;outline:1px solid #3b6fd6}
.field .caret{display:inline-block;width:1px;height:15px;margin:0 -1px 0 0;background:#1c2026;vertical-align:-3px}
.field mark{background:#b3d1fb;color:inherit}
.field.off{opacity:.45}
.address{flex:1;min-width:0;border-radius:4px}
.chrome-round .address,.chrome-round .find{border-radius:13px}
.head{flex:none;display:flex;align-items:center;gap:7px;height:44px;padding:0 12px;border-bottom:var(--edge) solid var(--line);background:var(--card)}
.head-band .head{background:var(--accent);color:var(--on-accent);border-bottom:0}
.head-tinted .head{background:var(--tint)}
.brand{flex:1;min-width:0;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;font-size:1.25em;font-weight:700}
.find{width:210px;font:14px/24px 'Liberation Sans',sans-serif;border-radius:3px}
.find:not(.focused)[data-empty]::after{content:attr(data-empty);position:absolute;left:9px;top:0;color:#8a909a}
.btn{flex:none;height:26px;line-height:26px;padding:0 12px;border-radius:4px;background:var(--accent);color:var(--on-accent);font-size:13px}
.head-band .btn{background:var(--card);color:var(--text)}
.btn.off{opacity:.45}
.view{flex:1;min-height:0;position:relative;overflow:clip;background:var(--card)}
.sheet{position:absolute;left:0;right:12px;top:0;padding:12px 18px 26px}
.track{position:absolute;right:0;top:0;bottom:0;width:12px;background:var(--soft);border-left:1px solid var(--line)}
.grip{position:absolute;left:2px;right:2px;background:var(--muted);border-radius:4px;opacity:.7}
.sheet>*{max-width:880px}
h1,h2{display:flow-root}
h1{margin:0;font-size:1.75em;line-height:1.2;font-weight:700}
.title-rule h1{font-weight:400;padding-bottom:4px;border-bottom:1px solid var(--line)}
.title-accent h1{color:var(--accent)}
.title-large h1{font-size:2.05em;letter-spacing:-.01em}
h1+p{margin-top:8px}
.kind{margin:2px 0 8px;color:var(--muted);font-size:.88em}
h2{margin:16px 0 4px;font-size:1.2em;line-height:1.25}
.title-rule h2{font-weight:400;border-bottom:1px solid var(--line);padding-bottom:2px}
.title-accent h2{padding-left:8px;border-left:4px solid var(--accent)}
p{margin:0 0 10px}
a{color:var(--accent);cursor:pointer}
a.seen{color:var(--muted)}
a:hover,.link-underlined a{text-decoration:underline;text-underline-offset:2px}
ul{margin:4px 0 8px;padding-left:20px}
.box{float:right;width:206px;margin:0 0 10px 16px;font-size:.88em;line-height:1.35;border:1px solid var(--line);border-radius:var(--radius);overflow:hidden}
.box-filled .box{background:var(--soft)}
.box b{display:block;padding:5px 8px;text-align:center}
.box-capped .box b{background:var(--accent);color:var(--on-accent)}
.box-framed .box b{border-bottom:1px solid var(--line)}
.box div{display:flex;gap:6px;padding:3px 8px}
.box i{flex:0 0 76px;font-style:normal;color:var(--muted)}
.box span{flex:1;min-width:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.94em}
th,td{text-align:left;padding:4px 8px;vertical-align:top;line-height:1.3}
th{border-bottom:2px solid var(--line)}
.table-lines td{border-bottom:1px solid var(--line)}
.table-grid td,.table-grid th{border:1px solid var(--line)}
.table-grid th,.table-stripes tr:nth-child(odd) td{background:var(--soft)}
.lists{clear:both;margin-top:16px;padding:6px 10px;font-size:.9em;background:var(--soft);border:1px solid var(--line);border-radius:var(--radius)}
.result{padding:8px 0;border-bottom:1px solid var(--line)}
.results-cards .result{padding:8px 12px;margin:8px 0;border:1px solid var(--line);border-radius:var(--radius);background:var(--soft)}
.result a{font-size:1.1em;font-weight:700}
.result div{font-size:.92em;line-height:1.35}
.pages{display:flex;gap:18px;margin-top:12px}
@media (min-width:1000px){.sheet{padding:18px 40px 40px}.find{width:320px}.box{width:260px}.box i{flex-basis:100px}}
`;
