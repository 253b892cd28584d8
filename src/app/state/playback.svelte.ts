// A recorded run, played: which recording, how far it has been shown, and what the run bar's buttons do to it. Hands over
// the same messages that a live run sends; knows nothing of what is drawn.
import type { RunEvent } from '../../log/events.ts';
import type { LabMessage } from '../../workers/contract.ts';
import type { Reader } from '../reader/client.ts';
import { Player } from './player.ts';
import type { Recording } from './recordings.ts';

interface Audience {
  message(message: LabMessage): void;
  /** Events that are not played, all at once. */
  skipped(events: readonly RunEvent[]): void;
  ended(): void;
  /** It goes on with what was logged. */
  failed(error: unknown): void;
}

export class Playback {
  recording = $state.raw<Recording | null>(null);
  /** Line of the episode on the stage. */
  line = $state<number | null>(null);
  still = $state(false);
  /** It has been shown to its end. */
  ended = $state(false);
  #player: Player | null = null;
  #reader: Reader;
  #audience: Audience;

  constructor(reader: Reader, audience: Audience) {
    this.#reader = reader;
    this.#audience = audience;
  }

  /** Resolves when all of it has been read; what was read is played also where the rest does not come. */
  async show(recording: Recording) {
    this.close();
    this.recording = recording;
    // What a closed player still says is not heard.
    const mine = (hear: () => void) => player === this.#player && hear();
    const player: Player = new Player({
      emit: (message) =>
        mine(() => {
          if (message.kind === 'state') this.still = true;
          else this.#audience.message(message);
        }),
      skip: (events) => mine(() => this.#audience.skipped(events)),
      frames: (n) => this.#reader.frames(n),
      episode: (n) => mine(() => (this.line = n)),
      ended: () =>
        mine(() => {
          this.still = this.ended = true;
          this.#audience.ended();
        }),
      failed: (error) => mine(() => this.#audience.failed(error)),
    });
    this.#player = player;
    player.play();
    try {
      await this.#reader.stream(recording.url, (events) => player.append(events));
    } finally {
      player.complete();
    }
  }

  close() {
    this.#player?.close();
    this.#player = null;
    this.recording = this.line = null;
    this.still = this.ended = false;
  }

  toggle() {
    if (this.still) this.#player?.play();
    else this.#player?.pause();
    this.still = !this.still && !this.ended;
  }

  step() {
    this.still = false;
    this.#player?.step();
  }

  /** Shows what is left at once. */
  finish() {
    this.still = false;
    this.#player?.finish();
  }
}
