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

/** A captured screen or window, and its sound where the browser gives it. */
export interface Screen {
  picture: MediaStreamTrack;
  sound: MediaStreamTrack | null;
}

/**
 * Has the person choose a screen, window or tab. To be called in the task of a click. Null where they, or the browser, said
 * no. The caller owns the tracks.
 */
export async function openScreen(shape: ScreenShape, { sound }: { sound: boolean }): Promise<Screen | null> {
  // What plays on the computer is to be heard as it is, and here as well.
  const as = {
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
    suppressLocalAudioPlayback: false,
  };
  // Of a whole computer's sound the call itself is a part: others would hear themselves where the browser cannot leave it out.
  const isOwnLeftOut = "restrictOwnAudio" in navigator.mediaDevices.getSupportedConstraints();
  // W3C Screen Capture section 5.3; the types of the platform do not know all of it yet.
  const options = {
    video: atMost(shape),
    audio: sound && { ...as, ...(isOwnLeftOut && { restrictOwnAudio: true }) },
    systemAudio: isOwnLeftOut ? "include" : "exclude",
    surfaceSwitching: "include",
  };
  try {
    const stream = await navigator.mediaDevices.getDisplayMedia(options);
    const [picture] = stream.getVideoTracks();
    return picture === undefined ? null : { picture, sound: stream.getAudioTracks()[0] ?? null };
  } catch {
    return null;
  }
}

/** How large a picture is to be, and how many of them there are to be. */
export interface CameraShape {
  lines: number;
  framesPerSecond: number;
}

/** How large a screen's picture is at most, and how many of them there are. */
export interface ScreenShape {
  /** Null: as many as the screen has. */
  lines: number | null;
  framesPerSecond: number;
}

/** Has a camera come near to that, from now on. */
export async function resizeCamera(camera: MediaStreamTrack, { lines, framesPerSecond }: CameraShape): Promise<void> {
  const near = { height: { ideal: lines }, width: { ideal: (lines * 16) / 9 }, frameRate: { max: framesPerSecond } };
  await constrain(camera, { ...camera.getConstraints(), ...near });
}

/** Has a screen's picture be no larger than that, from now on. */
export async function resizeScreen(screen: MediaStreamTrack, shape: ScreenShape): Promise<void> {
  const { width: _, height: __, ...others } = screen.getConstraints();
  await constrain(screen, { ...others, ...atMost(shape) });
}

async function constrain(picture: MediaStreamTrack, constraints: MediaTrackConstraints): Promise<void> {
  // Rejects where it has ended meanwhile.
  await picture.applyConstraints(constraints).catch(() => undefined);
}

/** Screens are made smaller, never larger, and keep their aspect ratio. */
function atMost({ lines, framesPerSecond }: ScreenShape): MediaTrackConstraints {
  const frameRate = { max: framesPerSecond };
  if (lines === null) return { frameRate };
  return { width: { max: Math.round((lines * 16) / 9) }, height: { max: lines }, frameRate };
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
