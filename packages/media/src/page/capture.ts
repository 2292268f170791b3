/** Why a device could not be opened, in terms that a person can act on. */
type CaptureProblem = "denied" | "missing" | "busy";

export type Captured = { ok: true; track: MediaStreamTrack } | { ok: false; problem: CaptureProblem };

/** 720p at up to 30 frames a second: what one encoder per link can hold on an ordinary computer. */
const PICTURE = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } };

/** Opens a camera; `deviceId` "" lets the browser choose. The caller owns the track and stops it. */
export function openCamera(deviceId: string): Promise<Captured> {
  return capture({ video: { ...PICTURE, ...exactly(deviceId) } });
}

/** Opens the camera that looks away from the person, where there is one, else any. The caller owns the track. */
export function openRearCamera(): Promise<Captured> {
  return capture({ video: { ...PICTURE, facingMode: "environment" } });
}

/** Opens a microphone with echo cancellation; `deviceId` "" lets the browser choose. The caller owns the track. */
export function openMicrophone(deviceId: string): Promise<Captured> {
  return capture({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...exactly(deviceId) },
  });
}

/** Has the person choose a screen, window or tab. To be called in the task of a click. The caller owns the track. */
export async function openScreen(): Promise<Captured> {
  return captured(() => navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 } }, audio: false }));
}

function exactly(deviceId: string): MediaTrackConstraints {
  return deviceId === "" ? {} : { deviceId: { exact: deviceId } };
}

function capture(constraints: MediaStreamConstraints): Promise<Captured> {
  return captured(() => navigator.mediaDevices.getUserMedia(constraints));
}

async function captured(open: () => Promise<MediaStream>): Promise<Captured> {
  try {
    const stream = await open();
    const [track] = stream.getTracks();
    return track === undefined ? { ok: false, problem: "missing" } : { ok: true, track };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): CaptureProblem {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "denied";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "missing";
  return "busy";
}
