//! The sound of a stone. The browser generates it: no file is loaded.

/** @type {AudioContext | null} */
let audio = null;

/** Plays a short knock. */
export function click() {
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  const now = audio.currentTime;
  tone.type = 'triangle';
  tone.frequency.setValueAtTime(900, now);
  tone.frequency.exponentialRampToValueAtTime(220, now + 0.05);
  volume.gain.setValueAtTime(0.25, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.08);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.09);
}
