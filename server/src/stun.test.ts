import { createSocket } from "node:dgram";
import { once } from "node:events";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { startForTest } from "./server.cases.ts";
import { answer, startStun } from "./stun.ts";

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ""), "hex");
/** RFC 5769's transaction id, without its attributes: those use credentials. */
const request = hex("0001 0000 2112a442 b7e7a701bc34d686fa87dfae");
const withAttribute = (attribute: string) => {
  const bytes = Buffer.concat([request, hex(attribute)]);
  bytes.writeUInt16BE(bytes.length - 20, 2);
  return bytes;
};

test("an IPv4 source, as in RFC 5769, section 2.2", () => {
  const source = { address: "192.0.2.1", port: 32853 };
  const expected = hex("0101 000c 2112a442 b7e7a701bc34d686fa87dfae 0020 0008 00 01 a147 e112a643");
  expect(answer(request, source)).toEqual(expected);
  expect(answer(request, { ...source, address: "::ffff:192.0.2.1" })).toEqual(expected);
});

test("an IPv6 source, as in RFC 5769, section 2.3", () => {
  const source = { address: "2001:db8:1234:5678:11:2233:4455:6677", port: 32853 };
  const xored = "0113a9faa5d3f179bc25f4b5bed2b9d9";
  const expected = hex(`0101 0018 2112a442 b7e7a701bc34d686fa87dfae 0020 0014 00 02 a147 ${xored}`);
  expect(answer(request, source)).toEqual(expected);
});

test.each([
  ["::1", "00000000000000000000000000000001"],
  ["::", "00000000000000000000000000000000"],
  ["2001:db8::", "20010db8000000000000000000000000"],
  ["fe80::1:2%eth0", "fe800000000000000000000000010002"],
])("the address %s is read right", (address, bytes) => {
  const response = answer(request, { address, port: 1 }) ?? Buffer.alloc(0);
  const read = [...response.subarray(28)].map((byte, i) => byte ^ request.readUInt8(4 + i));
  expect(Buffer.from(read).toString("hex")).toBe(bytes);
});

test("an attribute that may be passed over is", () => {
  expect(answer(withAttribute("8022 0003 61626300"), { address: "::1", port: 1 })).not.toBeNull();
});

test.each([
  ["nothing", ""],
  ["a header cut short", "0001 0000 2112a442 b7e7a701bc34d686fa87df"],
  ["another magic cookie", "0001 0000 2112a443 b7e7a701bc34d686fa87dfae"],
  ["a response", "0101 0000 2112a442 b7e7a701bc34d686fa87dfae"],
  ["an indication", "0011 0000 2112a442 b7e7a701bc34d686fa87dfae"],
  ["an allocate request", "0003 0000 2112a442 b7e7a701bc34d686fa87dfae"],
  ["a length that is not that of the datagram", "0001 0004 2112a442 b7e7a701bc34d686fa87dfae"],
  ["bytes after the message", "0001 0000 2112a442 b7e7a701bc34d686fa87dfae 80220000"],
])("%s stays unanswered", (_, datagram) => {
  expect(answer(hex(datagram), { address: "::1", port: 1 })).toBeNull();
});

test.each([
  ["must be understood", "0006 0004 61626364"],
  ["is longer than the message", "8022 0008 61626364"],
  ["is cut short", "8022 00"],
])("an attribute that %s is not answered", (_, attribute) => {
  expect(answer(withAttribute(attribute), { address: "::1", port: 1 })).toBeNull();
});

test("any datagram is taken without harm, and no answer is larger than 44 bytes", () => {
  const nearly = fc.uint8Array({ maxLength: 64 }).map((tail) => withAttribute(Buffer.from(tail).toString("hex")));
  const any = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(any, nearly), fc.oneof(fc.ipV4(), fc.ipV6()), (datagram, address) => {
      expect(answer(datagram, { address, port: 65535 })?.length ?? 0).toBeLessThanOrEqual(44);
    }),
  );
});

test.each([
  ["udp4", "127.0.0.1", 32],
  ["udp6", "::1", 44],
] as const)("over %s, a client learns its own address", async (type, address, size) => {
  const { server, connect } = await startForTest();
  const { stunPort } = await (await connect()).join();
  expect(stunPort).toBe(server.stunPort);
  const client = createSocket(type);
  onTestFinished(() => void client.close());
  client.bind(0, address);
  await once(client, "listening");
  client.send(request, stunPort ?? 0, address);
  const [response] = (await once(client, "message")) as [Buffer];
  expect(response).toEqual(answer(request, { address, port: client.address().port }));
  expect(response).toHaveLength(size);
});

test("it binds to one address when configured so", async () => {
  const stun = await startStun(0, "127.0.0.1", () => {});
  onTestFinished(() => stun.close());
  expect(stun.port).toBeGreaterThan(0);
});

test("when it is switched off none is run, and clients receive that", async () => {
  const { server, connect } = await startForTest({ config: { stunPort: null } });
  expect(server.stunPort).toBeNull();
  expect((await (await connect()).join()).stunPort).toBeNull();
});
