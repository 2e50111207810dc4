import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** IANA's special-purpose registries. */
const special = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(net, prefix, 'ipv6');
}
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is public: not loopback, link-local, private or this host's own. */
export function isOutsideAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  if (version === 4) return !special.check(address, 'ipv4') && !isOwn(address);
  // global6 excludes IPv4-mapped addresses.
  return global6.check(address, 'ipv6') && !special.check(address, 'ipv6') && !isOwn(address);
}

function isOwn(address: string): boolean {
  const ownAddresses = new BlockList();
  for (const each of Object.values(networkInterfaces()).flat()) {
    if (each) ownAddresses.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return ownAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
