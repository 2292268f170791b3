import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";

/** What is looked for: what it is called, and every form that it may have, each a byte a letter. */
export interface Mark {
  name: string;
  forms: string[];
}

/** A link's secret, in base64url: halves of it count, since a place may keep it in parts. */
export function secretMark(secret: string): Mark {
  const bytes = Buffer.from(secret, "base64url");
  const texts = [secret, bytes.toString("base64"), bytes.toString("hex"), bytes.toString("hex").toUpperCase()];
  const forms = [...texts.flatMap(inText), bytes.toString("latin1")];
  return { name: "the link's secret", forms: forms.flatMap(halves) };
}

/** A person's name. */
export function nameMark(name: string): Mark {
  return { name, forms: inText(name) };
}

/** What is said, written or shown, in each form in which a message could carry it: as text, as hexadecimal, in base64 at any place. */
export function sentMark(said: string): Mark {
  const wide = Buffer.from(said, "utf16le");
  const bytes = [Buffer.from(said), wide, Buffer.from(wide).swap16()];
  const forms = bytes.flatMap((form) => {
    const hex = form.toString("hex");
    return [form.toString("latin1"), hex, hex.toUpperCase(), ...inBase64(form)];
  });
  return { name: said, forms };
}

/** The letters that are these bytes' own, wherever in a longer text they begin. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((ahead) => {
    const coded = Buffer.concat([Buffer.alloc(ahead), bytes]).toString("base64");
    const own = coded.slice(Math.ceil((ahead * 8) / 6), Math.floor(((ahead + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** What passed between pages and the server, with what hides in its base64url bodies. */
export function seenByServer(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n${decoded(text)}`).join("\n");
}

/** Names of the marks that a text holds. */
export function found(text: string, marks: readonly Mark[]): string[] {
  return marks.filter(({ forms }) => forms.some((form) => text.includes(form))).map(({ name }) => name);
}

/** What hides in a message's base64url bodies, one byte a letter. */
function decoded(text: string): string {
  const bodies = text.match(/[A-Za-z0-9_-]{24,}/g) ?? [];
  return bodies.map((body) => Buffer.from(body, "base64url").toString("latin1")).join("\n");
}

/** Every file below a folder that holds a mark: "Default/History: the link's secret". */
export function foundOnDisk(folder: string, marks: readonly Mark[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const path = join(parentPath, name);
    const inside = found(`${path}\n${readFileSync(path).toString("latin1")}`, marks);
    return inside.map((mark) => `${path.slice(folder.length + 1)}: ${mark}`);
  });
}

/** Everything that scripts of the page's origin can read, by place; and the keys among it that can be exported. */
export async function readable(
  page: Page,
): Promise<{ places: Record<string, string>; exportable: string[]; keys: number }> {
  return page.evaluate(readOrigin);
}

/** Runs in the page before its own scripts: keeps, as text, whatever the page gives to its workers or seals itself. */
export function keepGiven(): void {
  const given: string[] = [];
  Object.assign(globalThis, { given });
  const simple = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) || typeof value === "bigint" ? undefined : value;
  const textOf = (value: unknown): string => {
    if (value instanceof ArrayBuffer) return new TextDecoder("latin1").decode(value);
    if (ArrayBuffer.isView(value)) return new TextDecoder("latin1").decode(value);
    if (typeof value === "string") return value;
    const isPlain = Array.isArray(value) || (value !== null && Object.getPrototypeOf(value) === Object.prototype);
    return isPlain
      ? `${JSON.stringify(value, simple)}\n${Object.values(value as object)
          .map(textOf)
          .join("\n")}`
      : "";
  };
  for (const { prototype } of [Worker, MessagePort])
    prototype.postMessage = new Proxy(prototype.postMessage, {
      apply(post, from, what: unknown[]) {
        given.push(textOf(what[0]));
        Reflect.apply(post, from, what);
      },
    });
  const { encrypt } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.encrypt = function (this: SubtleCrypto, algorithm, key, bytes) {
    given.push(textOf(bytes));
    return encrypt.call(this, algorithm, key, bytes);
  };
}

function inText(text: string): string[] {
  return ["utf8", "utf16le"].map((encoding) => Buffer.from(text, encoding as BufferEncoding).toString("latin1"));
}

function halves(form: string): string[] {
  const middle = form.length >> 1;
  return [form.slice(0, middle), form.slice(middle)];
}

/** Runs in the page. */
async function readOrigin() {
  const keys: CryptoKey[] = [];
  const latin1 = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const textOf = (value: unknown): string => {
    if (value instanceof CryptoKey) return `key ${keys.push(value)}`;
    if (value instanceof ArrayBuffer) return latin1(new Uint8Array(value));
    if (ArrayBuffer.isView(value)) return latin1(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof Map || value instanceof Set || Array.isArray(value)) return [...value].map(textOf).join("\n");
    if (typeof value === "object" && value !== null) return Object.entries(value).map(textOf).join("\n");
    return String(value);
  };
  const request = <T>(asked: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  const databases = async () => {
    const texts: string[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await request(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store);
        texts.push(name, store, textOf(await request(objects.getAllKeys())), textOf(await request(objects.getAll())));
      }
      database.close();
    }
    return texts.join("\n");
  };
  const cached = async () => {
    const texts: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const { url } of await cache.keys()) texts.push(url, (await (await cache.match(url))?.text()) ?? "");
    }
    return texts.join("\n");
  };
  const filed = async (folder: FileSystemDirectoryHandle): Promise<string> => {
    const texts: string[] = [];
    for await (const entry of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
      const isFile = entry instanceof FileSystemFileHandle;
      const text = isFile
        ? textOf(await (await entry.getFile()).arrayBuffer())
        : await filed(entry as FileSystemDirectoryHandle);
      texts.push(entry.name, text);
    }
    return texts.join("\n");
  };
  const fields = [...document.querySelectorAll<HTMLInputElement>("input, select, textarea")].map(({ value }) => value);
  const { entries } = (globalThis as unknown as { navigation: { entries(): { url: string; getState(): unknown }[] } })
    .navigation;
  const places = {
    address: location.href,
    history:
      entries
        .call(navigation)
        .map((entry) => entry.url + textOf(entry.getState()))
        .join("\n") + textOf(history.state),
    localStorage: textOf({ ...localStorage }),
    sessionStorage: textOf({ ...sessionStorage }),
    IndexedDB: await databases(),
    caches: await cached(),
    files: await filed(await navigator.storage.getDirectory()),
    document: [document.documentElement.outerHTML, document.title, document.cookie, window.name, ...fields].join("\n"),
  };
  const exportable: string[] = [];
  for (const key of keys)
    for (const format of ["raw", "jwk", "pkcs8"] as const)
      await crypto.subtle.exportKey(format, key).then(
        () => key.type !== "public" && exportable.push(`${key.type} ${key.algorithm.name} as ${format}`),
        () => undefined,
      );
  return { places, exportable, keys: keys.length };
}
