/** Each runs in a page of the product before its own scripts, as text: it can use nothing from outside itself. */

/** Keeps the connections that the page makes, and what they were made with, as globals. */
export function keepConnections(): RTCPeerConnection[] {
  const connections: RTCPeerConnection[] = [];
  const configurations: (RTCConfiguration | undefined)[] = [];
  const Original = RTCPeerConnection;
  class Kept extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      connections.push(this);
      configurations.push(configuration);
    }
  }
  Object.assign(globalThis, { RTCPeerConnection: Kept, connections, configurations });
  return connections;
}

/** Keeps the workers that the page starts, as a global. */
export function keepWorkers(): void {
  const started: { url: string; worker: Worker }[] = [];
  const Original = Worker;
  class Kept extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      started.push({ url: String(url), worker: this });
    }
  }
  Object.assign(globalThis, { Worker: Kept, workers: started });
}

/** A camera of this height and frame rate, so that many browsers fit on one machine. */
export function smallCamera({ height, frameRate }: { height: number; frameRate: number }): void {
  // The empty page that comes first in some browsers is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const { video } = constraints ?? {};
    if (typeof video !== "object") return original(constraints);
    return original({ ...constraints, video: { ...video, width: (height * 16) / 9, height, frameRate } });
  };
}

/** Runs in a page before its own scripts: its microphone is heard as it is. Treating sound costs as much as encoding it does. */
export function untreatedSound(): void {
  if (!globalThis.isSecureContext) return;
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  const untreated = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const { audio } = constraints ?? {};
    return original(typeof audio === "object" ? { ...constraints, audio: { ...audio, ...untreated } } : constraints);
  };
}
