/** A name by which a browser hides an address on its own network (RFC 8828, multicast DNS). */
const HIDDEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.local$/i;
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const IPV6 = /^[0-9a-f:]+(:[\d.]+)?$/i;
/** Below are the ports of services. A browser or a NAT gives a call a higher one (RFC 4787, REQ-3). */
const LOWEST_PORT = 1024;

/**
 * Whether a candidate (RFC 8839 section 5.1, without "a=") names an address to which this browser may send: UDP, to a
 * unicast address, or to a name of multicast DNS, at a port from 1024. Loopback and link-local addresses are none.
 *
 * @param loopback - Loopback addresses are taken: the page is of a server on this same computer.
 */
export function isReachable(candidate: string, loopback: boolean): boolean {
  const [, component, transport = "", , address = "", port = ""] = candidate.split(" ");
  if (component !== "1" || transport.toLowerCase() !== "udp" || !/^\d{4,5}$/.test(port)) return false;
  return Number(port) >= LOWEST_PORT && (HIDDEN.test(address) || isUnicast(address, loopback));
}

function isUnicast(address: string, loopback: boolean): boolean {
  if (IPV4.test(address)) return isUnicast4(address.split(".").map(Number), loopback);
  return IPV6.test(address) && isUnicast6(address, loopback);
}

function isUnicast4([first = 0, second = 0, ...rest]: number[], loopback: boolean): boolean {
  if ([first, second, ...rest].some((part) => part > 255)) return false;
  if (first === 127) return loopback;
  const isLinkLocal = first === 169 && second === 254;
  return first !== 0 && !isLinkLocal && first < 224;
}

/** Without what begins with zeros, such as IPv4 addresses in IPv6 ones; fe80::/10, the former fec0::/10 and multicast. */
function isUnicast6(address: string, loopback: boolean): boolean {
  const canonical = canonical6(address);
  if (canonical === "[::1]") return loopback;
  return canonical !== null && !/^\[(::|f[ef][89a-f]|ff)/.test(canonical);
}

/** In brackets and in its shortest form (RFC 5952). Null: not an address. */
function canonical6(address: string): string | null {
  return URL.canParse(`http://[${address}]/`) ? new URL(`http://[${address}]/`).hostname : null;
}
