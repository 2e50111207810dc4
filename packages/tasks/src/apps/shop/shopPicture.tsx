export function Picture({ name, tall }: { name: string; tall: number }) {
  let seed = 7;
  for (const letter of name) seed = (seed * 33 + letter.charCodeAt(0)) >>> 0;
  const part = (index: number, count: number) => (seed >>> (index * 3)) % count;
  const hue = part(0, 24) * 15;
  const [light, deep] = [`hsl(${hue} 55% 84%)`, `hsl(${(hue + 40 + 30 * part(1, 4)) % 360} 50% 46%)`];
  const mid = `hsl(${hue} 50% 62%)`;
  const body = [
    <path d="M34 82 L40 34 H60 L66 82 Z" fill={deep} />,
    <rect x="30" y="36" width="40" height="46" rx={4 + part(2, 14)} fill={deep} />,
    <circle cx="50" cy="58" r="24" fill={deep} />,
    <path d="M26 46 Q50 20 74 46 L68 82 H32 Z" fill={deep} />,
    <path d="M36 82 V50 Q36 38 50 38 T64 50 V82 Z" fill={deep} />,
  ][part(2, 5)];
  const top = [
    <rect x="42" y="24" width="16" height="14" rx="3" fill={mid} />,
    <path d="M40 38 Q50 12 60 38" fill="none" stroke={mid} stroke-width="5" />,
    <circle cx="50" cy="32" r="8" fill={mid} />,
    <path d="M68 48 Q86 52 68 70" fill="none" stroke={mid} stroke-width="6" />,
  ][part(4, 4)];
  return (
    <svg
      class="picture"
      viewBox="0 0 100 100"
      preserveAspectRatio="xMidYMid meet"
      style={`height:${tall}px;background:${light}`}
    >
      <ellipse cx="50" cy="84" rx="34" ry="5" fill="rgba(0,0,0,.14)" />
      {top}
      {body}
      <rect x="38" y={52 + part(5, 10)} width="24" height="5" rx="2.5" fill={light} opacity=".75" />
    </svg>
  );
}
