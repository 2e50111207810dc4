export const html = `<!doctype html><style>
  body { margin: 0; font: 14px sans-serif; background: linear-gradient(#eef, #fff) }
  button { position: absolute; left: 20px; top: 20px; width: 120px; height: 40px } p { margin: 80px 20px }
</style><button>0</button><p>The quick brown fox jumps over the lazy dog, again and again.</p>
<script>document.querySelector('button').onclick = (event) => event.target.textContent++</script>`;

export const quality = 70;

export function* places(): Generator<{ x: number; y: number }, never> {
  for (let step = 0; ; step++) yield { x: 30 + (step % 90), y: 30 + (step % 20) };
}
