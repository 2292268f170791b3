import { fileURLToPath } from "node:url";
import * as v from "valibot";

/** What the server is told by its environment. */
export interface Config {
  /** 0 takes any free one. */
  readonly port: number;
  /** Null: every address, IPv6 and IPv4. */
  readonly host: string | null;
  /** UDP; 0 takes any free one, null answers no STUN. */
  readonly stunPort: number | null;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  /** The built client. */
  readonly clientDir: string;
  /** Paths of PEM files; null serves plain http. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

/** What a person must put right before the server can start: the message says what and how. */
export class SetupError extends Error {
  readonly code: "config" | "client-missing" | "tls-unreadable" | "port-taken";

  constructor(code: SetupError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SetupError";
    this.code = code;
  }
}

const levels = ["debug", "info", "warn", "error", "silent"] as const;
const notPort = "must be a port number from 0 to 65535";
const port = v.pipe(v.string(), v.regex(/^\d{1,5}$/, notPort), v.transform(Number), v.maxValue(65_535, notPort));
const text = v.pipe(v.string(), v.minLength(1, "is empty: give it a value, or do not set it"));

const Environment = v.object({
  PORT: v.optional(port, "8080"),
  HOST: v.optional(text),
  STUN_PORT: v.optional(port),
  LOG_LEVEL: v.optional(v.picklist(levels, `must be one of ${levels.join(", ")}`), "info"),
  CLIENT_DIR: v.optional(text),
  TLS_CERT: v.optional(text),
  TLS_KEY: v.optional(text),
});

/** Throws SetupError that names each variable at fault. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = v.safeParse(Environment, environment);
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}.`);
    throw new SetupError("config", faults.join("\n"));
  }
  const { PORT, HOST, STUN_PORT, LOG_LEVEL, CLIENT_DIR, TLS_CERT, TLS_KEY } = parsed.output;
  return {
    port: PORT,
    host: HOST ?? null,
    stunPort: STUN_PORT === 0 ? null : (STUN_PORT ?? PORT),
    logLevel: LOG_LEVEL,
    clientDir: CLIENT_DIR ?? fileURLToPath(new URL("../../apps/web/dist", import.meta.url)),
    tls: tlsOf(TLS_CERT, TLS_KEY),
  };
}

function tlsOf(cert: string | undefined, key: string | undefined): Config["tls"] {
  if (cert && key) return { cert, key };
  if (cert || key) throw new SetupError("config", "TLS_CERT and TLS_KEY belong together: set both, or neither.");
  return null;
}
