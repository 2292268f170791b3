import ipaddr from "ipaddr.js";

/** A name by which a browser hides an address on its own network (RFC 8828, multicast DNS). */
const HIDDEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.local$/i;
/** Below are the ports of services. A browser or a NAT gives a call a higher one (RFC 4787, REQ-3). */
const LOWEST_PORT = 1024;
/** This network, link-local addresses, multicast and what lies above it. */
const NOT_UNICAST_4 = ["0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"].map((range) => ipaddr.IPv4.parseCIDR(range));
/** What begins with zeros, such as IPv4 addresses in IPv6 ones; link-local, the former site-local, multicast. */
const NOT_UNICAST_6 = ["::/32", "fe80::/9", "ff00::/8"].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether a candidate is the TURN server's address and not one of this computer. */
export const isRelayed = (candidate: string): boolean => / typ relay( |$)/.test(candidate);

/** Whether it is a name, which a browser asks its own network for. */
export const isHidden = (candidate: string): boolean => HIDDEN.test(candidate.split(" ")[4] ?? "");

/** Without the address by which the TURN server knows this computer (RFC 8839 section 5.1). */
export const withoutRelated = (candidate: string): string =>
  candidate.replace(/ raddr \S+ rport \S+/, " raddr 0.0.0.0 rport 0");

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

/** Of IPv4's notations four decimal numbers alone; of IPv6 no address with a zone. */
function isUnicast(text: string, loopback: boolean): boolean {
  const isIpv6 = ipaddr.IPv6.isValid(text) && !text.includes("%");
  if (!isIpv6 && !ipaddr.IPv4.isValidFourPartDecimal(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() === "loopback") return loopback;
  if (address instanceof ipaddr.IPv6) return !NOT_UNICAST_6.some((range) => address.match(range));
  return !NOT_UNICAST_4.some((range) => address.match(range));
}
