import { expandKey, ROUND_TABLE } from "./aes.ts";
import shader from "./aes-ctr.wgsl?raw";
import { type Adapter, type GpuPassed, IMAGE_BYTES } from "./batch.ts";

/** Images that go to the adapter at a time: 24 MiB. */
const AT_A_TIME = 8192;
const COUNTER_BYTES = 16;
/** WebGPU's GPUBufferUsage, and READ of its GPUMapMode: not in the platform's types yet. */
const USAGE = {
  MAP_READ: 0x1,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  QUERY_RESOLVE: 0x200,
} as const;
const READ = 1;

/** What this browser computes on; null: it gives nothing. */
export async function adapterOf(): Promise<Adapter | null> {
  // Where a page is not secure, or the browser too old, there is no `gpu`, whatever the types say.
  const adapter = "gpu" in navigator ? await navigator.gpu.requestAdapter() : null;
  if (adapter === null) return null;
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  const name = [vendor, architecture, device, description].filter(Boolean).join(" ");
  return { name: name || "unnamed", isSoftware: isFallbackAdapter };
}

interface Encrypted extends Omit<GpuPassed, "memoryBytes"> {
  readonly encrypted: Uint8Array;
}

/**
 * AES-128 or AES-256 in counter mode by a compute shader. Counter mode hides, and lets anybody change what it hides: a
 * comparator, never a protection.
 */
export class AesGpu {
  /** 16 or 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
  readonly #device: GPUDevice;
  readonly #pipeline: GPUComputePipeline;
  readonly #images: GPUBuffer;
  readonly #back: GPUBuffer;
  readonly #parameters: GPUBuffer;
  readonly #times: Times;
  readonly #group: GPUBindGroup;

  private constructor(device: GPUDevice, pipeline: GPUComputePipeline, key: Uint8Array<ArrayBuffer>) {
    [this.#device, this.#pipeline, this.key] = [device, pipeline, key];
    const { COPY_DST, COPY_SRC, MAP_READ, STORAGE, UNIFORM } = USAGE;
    const size = AT_A_TIME * IMAGE_BYTES;
    this.#images = device.createBuffer({ size, usage: STORAGE | COPY_DST | COPY_SRC });
    this.#back = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
    this.#parameters = device.createBuffer({ size: 2 * COUNTER_BYTES, usage: UNIFORM | COPY_DST });
    this.#times = new Times(device);
    const tables = [expandKey(key), ROUND_TABLE].map((words) => {
      const buffer = device.createBuffer({ size: words.byteLength, usage: STORAGE | COPY_DST });
      device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    });
    const buffers = [this.#parameters, ...tables, this.#images];
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    this.#group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  }

  /** Rejects where the browser gives no adapter, or one that times nothing. */
  static async start(key: Uint8Array<ArrayBuffer>): Promise<AesGpu> {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("the browser gives no graphics processor");
    const device = await adapter.requestDevice({ requiredFeatures: ["timestamp-query"] });
    const module = device.createShaderModule({ code: shader });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
    return new AesGpu(device, pipeline, key);
  }

  /**
   * `plain`: whole images. `counter`: 16 bytes, of the first block; an image's number is added to its third word, a block's in
   * its image to its fourth.
   */
  async encrypt(plain: Uint8Array, counter: Uint8Array): Promise<Encrypted> {
    const encrypted = new Uint8Array(plain.length);
    const size = AT_A_TIME * IMAGE_BYTES;
    const since = performance.now();
    let [transferMs, computeMs] = [0, 0];
    for (let at = 0; at < plain.length; at += size) {
      const part = plain.subarray(at, at + size);
      this.#set(counter, at / IMAGE_BYTES);
      transferMs += await this.#timed(() => this.#device.queue.writeBuffer(this.#images, 0, part.slice()));
      computeMs += await this.#run(part.length / IMAGE_BYTES);
      transferMs += await this.#timed(async () => encrypted.set(await this.#read(part.length), at));
    }
    return { encrypted, ms: performance.now() - since, transferMs, computeMs };
  }

  close(): void {
    this.#device.destroy();
  }

  #set(counter: Uint8Array, firstImage: number): void {
    const view = new DataView(counter.buffer, counter.byteOffset, COUNTER_BYTES);
    const words = [0, 4, 8, 12].map((at) => view.getUint32(at));
    words[2] = ((words[2] ?? 0) + firstImage) >>> 0;
    const rounds = this.key.length / 4 + 6;
    this.#device.queue.writeBuffer(this.#parameters, 0, Uint32Array.from([...words, rounds, 0, 0, 0]));
  }

  async #run(images: number): Promise<number> {
    const commands = this.#device.createCommandEncoder();
    const pass = commands.beginComputePass(this.#times.pass);
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, this.#group);
    pass.dispatchWorkgroups(images);
    pass.end();
    this.#times.collect(commands);
    this.#device.queue.submit([commands.finish()]);
    return this.#times.ms();
  }

  async #read(bytes: number): Promise<Uint8Array> {
    const commands = this.#device.createCommandEncoder();
    commands.copyBufferToBuffer(this.#images, 0, this.#back, 0, bytes);
    this.#device.queue.submit([commands.finish()]);
    await this.#back.mapAsync(READ, 0, bytes);
    const copy = new Uint8Array(this.#back.getMappedRange(0, bytes)).slice();
    this.#back.unmap();
    return copy;
  }

  async #timed(transfer: () => Promise<void> | void): Promise<number> {
    const since = performance.now();
    await transfer();
    await this.#device.queue.onSubmittedWorkDone();
    return performance.now() - since;
  }
}

/** When a pass began and ended on the adapter, in nanoseconds. */
class Times {
  readonly pass: GPUComputePassDescriptor;
  readonly #set: GPUQuerySet;
  readonly #found: GPUBuffer;
  readonly #back: GPUBuffer;

  constructor(device: GPUDevice) {
    const { COPY_DST, COPY_SRC, MAP_READ, QUERY_RESOLVE } = USAGE;
    this.#set = device.createQuerySet({ type: "timestamp", count: 2 });
    this.#found = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
    this.#back = device.createBuffer({ size: 16, usage: COPY_DST | MAP_READ });
    this.pass = { timestampWrites: { querySet: this.#set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } };
  }

  collect(commands: GPUCommandEncoder): void {
    commands.resolveQuerySet(this.#set, 0, 2, this.#found, 0);
    commands.copyBufferToBuffer(this.#found, 0, this.#back, 0, 16);
  }

  /** Milliseconds of the pass that was submitted last. */
  async ms(): Promise<number> {
    await this.#back.mapAsync(READ);
    const [from = 0n, to = 0n] = new BigUint64Array(this.#back.getMappedRange().slice(0));
    this.#back.unmap();
    return Number(to - from) / 1e6;
  }
}
