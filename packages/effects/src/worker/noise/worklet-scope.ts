/** What a script of an AudioWorklet finds around it, so that one runs in a worker, whose response alone may compile WebAssembly. */

/** What a processor of the package has as `processor` once it is ready. */
export interface BlockProcessor {
  /** One block of each channel of a source, and where each goes. */
  process(inputs: readonly Float32Array[], outputs: readonly Float32Array[]): void;
}

type ProcessorClass = new (options: { processorOptions: object }) => object;

const registered: ProcessorClass[] = [];

Object.assign(globalThis, {
  AudioWorkletProcessor: class {
    readonly port = { addEventListener: () => undefined };
  },
  registerProcessor: (_name: string, processor: ProcessorClass) => void registered.push(processor),
  sampleRate: 48_000,
});

/** The one that the script has registered. */
export function registeredProcessor(): ProcessorClass {
  const [processor] = registered;
  if (processor === undefined) throw new Error("The worklet's script has registered nothing.");
  return processor;
}
