import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { useDevices } from "./devices-context.ts";
import styles from "./level-meter.module.css";

/** Speech lies between these levels, in dB below full scale. */
const quietest = -60;
const loudest = -12;

/** At 48 kHz most of what is heard between two looks; a power of two. */
const samplesLookedAt = 4_096;

/** Each time the page is drawn again. */
const everyMs = 100;

/** Reports the loudness of the track from 0 to 1 until the returned function is called. */
function listen(track: MediaStreamTrack, report: (level: number) => void): () => void {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: samplesLookedAt });
  context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    report(Math.min(1, Math.max(0, (10 * Math.log10(power) - quietest) / (loudest - quietest))));
  }, everyMs);
  // Some browsers start it only after a click or a key on the page.
  const wake = () => void context.resume();
  addEventListener("pointerdown", wake);
  addEventListener("keydown", wake);
  return () => {
    clearInterval(timer);
    removeEventListener("pointerdown", wake);
    removeEventListener("keydown", wake);
    void context.close();
  };
}

export function LevelMeter() {
  const { t } = useLingui();
  const track = useDevices((view) => view.me.sound);
  const on = useDevices((view) => view.me.microphone.on);
  const meter = useRef<HTMLMeterElement>(null);

  useEffect(() => {
    if (!on || track === null) return;
    const show = (level: number) => {
      if (meter.current) meter.current.value = level;
    };
    const stop = listen(track, show);
    return () => {
      stop();
      show(0);
    };
  }, [track, on]);

  return (
    <div className={styles.level}>
      <meter ref={meter} aria-label={t`Microphone level`} min={0} max={1} />
      <span>
        {on ? <Trans>Say something: the bar moves with your voice.</Trans> : <Trans>Your microphone is off.</Trans>}
      </span>
    </div>
  );
}
