import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test("an empty environment is enough", () => {
  expect(readConfig({})).toEqual({
    port: 8080,
    host: null,
    stunPort: 8080,
    logLevel: "info",
    clientDir: expect.stringMatching(/apps\/web\/dist$/),
    tls: null,
  });
});

test("every variable is read, others are not looked at", () => {
  const environment = { PORT: "0", HOST: "127.0.0.1", STUN_PORT: "3478", LOG_LEVEL: "debug", CLIENT_DIR: "/client" };
  expect(readConfig({ ...environment, TLS_CERT: "/c", TLS_KEY: "/k", HOME: "/root" })).toEqual({
    port: 0,
    host: "127.0.0.1",
    stunPort: 3478,
    logLevel: "debug",
    clientDir: "/client",
    tls: { cert: "/c", key: "/k" },
  });
});

test("STUN follows PORT unless it has one of its own, and 0 switches it off", () => {
  expect(readConfig({ PORT: "9000" }).stunPort).toBe(9000);
  expect(readConfig({ PORT: "9000", STUN_PORT: "0" }).stunPort).toBeNull();
});

test.each([
  [{ PORT: "abc" }, "PORT must be a port number from 0 to 65535."],
  [{ PORT: "65536" }, "PORT must be a port number from 0 to 65535."],
  [{ PORT: "" }, "PORT must be a port number from 0 to 65535."],
  [{ STUN_PORT: "-1" }, "STUN_PORT must be a port number from 0 to 65535."],
  [{ LOG_LEVEL: "loud" }, "LOG_LEVEL must be one of debug, info, warn, error, silent."],
  [{ HOST: "" }, "HOST is empty: give it a value, or do not set it."],
  [{ TLS_CERT: "/c" }, "TLS_CERT and TLS_KEY belong together: set both, or neither."],
  [
    { PORT: "x", STUN_PORT: "y" },
    "PORT must be a port number from 0 to 65535.\nSTUN_PORT must be a port number from 0 to 65535.",
  ],
])("%j is refused, naming what to put right", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(expect.objectContaining({ code: "config", message }));
});
