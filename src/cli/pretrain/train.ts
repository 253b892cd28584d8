// Pretraining of nano on our own engine: batches of documents, AdamW, warm-up and cosine; a checkpoint that one command
// goes on from. Knows nothing of how a document is made.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Game } from '../../../games/contract.ts';
import { stream } from '../../../games/rng.ts';
import { fromF32, toF32 } from '../../engine/model/convert.ts';
import { initWeights } from '../../engine/model/init.ts';
import { directoryFiles } from '../../engine/model/files.node.ts';
import { openModel } from '../../engine/model/open.ts';
import { saveModel } from '../../engine/model/save.ts';
import { warmupCosine } from '../../engine/schedule.ts';
import { createSession } from '../../engine/session.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import type { ModelConfig, ModelWeights, Session, Trainer } from '../../engine/types.ts';
import { CodedError } from '../../errors.ts';
import { makeDocument, type Part } from './corpus.ts';
import { makeDrill } from './drill.ts';
import { encodeDocument, vocabularyOf, type Encoded } from './encode.ts';

export interface Plan {
  seed: number;
  /** How often a game's documents come, in each part. */
  games: { game: Game; weight: Record<Part, number> }[];
  /** Tokens in all, and in one step. */
  tokens: number;
  batchTokens: number;
  lr: number;
  warmup: number;
  weightDecay: number;
  shape: { hidden: number; layers: number; heads: number; kvHeads: number; ffn: number; context: number };
  /** Longest document. */
  documentTokens: number;
  /** Share of the tokens that go to short documents first: skills before histories. */
  skills: number;
  /** Share of the documents that are drills. */
  drills: number;
}

export interface Progress {
  step: number;
  tokens: number;
  document: number;
  /** [tokens so far, mean loss since the point before] */
  curve: [number, number][];
}

export interface Pretraining {
  session: Session;
  tokenizer: TextTokenizer;
  progress: Progress;
  /** One step; resolves to its loss, or null when the plan is done. */
  step(): Promise<number | null>;
  save(): Promise<void>;
}

/**
 * Opens a new pretraining in the folder, or goes on with the one that it holds. `from`: a folder with a model whose weights
 * a new one starts with; a word that only one of the two vocabularies has starts fresh.
 */
export async function openPretraining(
  folder: string,
  plan: Plan,
  threads: number,
  from: string | null = null,
): Promise<Pretraining> {
  mkdirSync(folder, { recursive: true });
  const stateFile = join(folder, 'progress.json');
  const resumed = existsSync(stateFile);
  const vocabulary = resumed
    ? null
    : vocabularyOf(
        plan.games.map(({ game }) => game),
        300,
      );
  const saved = resumed ? await openModel(await directoryFiles(folder)) : null;
  const tokenizerJson = vocabulary?.tokenizerJson ?? saved!.texts.tokenizer!;
  const tokenizerConfig = vocabulary?.tokenizerConfigJson ?? saved!.texts.tokenizerConfig!;
  const tokenizer = new TextTokenizer(tokenizerJson, tokenizerConfig);
  const fresh = () => initWeights(shapeOf(plan, tokenizer), plan.seed);
  const weights = saved?.weights ?? (from === null ? fresh() : await carriedOver(from, tokenizer, fresh()));
  const session = await createSession(weights, { threads });
  const trainer = session.trainAll({
    lr: plan.lr,
    beta1: 0.9,
    beta2: 0.95,
    eps: 1e-8,
    weightDecay: plan.weightDecay,
    clip: 1,
  });
  const progress: Progress = resumed
    ? (JSON.parse(readFileSync(stateFile, 'utf8')) as Progress)
    : { step: 0, tokens: 0, document: 0, curve: [] };
  if (resumed) trainer.restore(readMoments(folder, progress.step));
  const steps = Math.ceil(plan.tokens / plan.batchTokens);
  return {
    session,
    tokenizer,
    progress,
    async step() {
      if (progress.step >= steps) return null;
      const batch = nextBatch(plan, tokenizer, progress);
      const lr = warmupCosine({ peak: plan.lr, warmup: plan.warmup, total: steps, floor: 0.05 }, progress.step);
      const { loss, tokens } = await trainer.step(
        { sequences: batch.map(({ ids }) => ids), weights: batch.map((one) => one.weights) },
        lr,
      );
      progress.step += 1;
      progress.tokens += tokens;
      return loss;
    },
    save: () => save(folder, trainer, progress, { tokenizerJson, tokenizerConfig }),
  };
}

/** `fresh` with another model's values: its layers, and the embeddings of the words that both know. */
async function carriedOver(folder: string, tokenizer: TextTokenizer, fresh: ModelWeights): Promise<ModelWeights> {
  const { weights, texts } = await openModel(await directoryFiles(folder));
  const known = new TextTokenizer(texts.tokenizer!, texts.tokenizerConfig!);
  const tensors = new Map(fresh.tensors);
  for (const [name, tensor] of fresh.tensors) {
    const other = weights.tensors.get(name);
    const rows = name === 'model.embed_tokens.weight' ? 1 : 0; // one a word
    if (!other || other.shape.slice(rows).join() !== tensor.shape.slice(rows).join()) {
      throw new CodedError(
        'model/unsupported',
        `${name} of ${folder} has another shape`,
        'give the shape of that model',
      );
    }
    if (rows === 0) {
      tensors.set(name, other);
      continue;
    }
    const [to, given] = [toF32(tensor), toF32(other)];
    const width = tensor.shape[1]!;
    for (const [word, id] of tokenizer.words()) {
      const row = known.idOf(word);
      if (row !== undefined) to.set(given.subarray(row * width, (row + 1) * width), id * width);
    }
    tensors.set(name, fromF32(to, 'f32', tensor.shape));
  }
  return { config: fresh.config, tensors };
}

const shapeOf = (plan: Plan, tokenizer: TextTokenizer): ModelConfig => ({
  family: 'llama',
  vocab: Math.ceil(tokenizer.vocabSize / 8) * 8,
  hidden: plan.shape.hidden,
  layers: plan.shape.layers,
  heads: plan.shape.heads,
  kvHeads: plan.shape.kvHeads,
  headDim: plan.shape.hidden / plan.shape.heads,
  ffn: plan.shape.ffn,
  context: plan.shape.context,
  normEps: 1e-5,
  ropeTheta: 10_000,
  ropeScaling: null,
  qkvBias: false,
  qkNorm: false,
  tied: true,
  bos: tokenizer.bos,
  eos: tokenizer.eos === null ? [] : [tokenizer.eos],
});

/** Documents by their number, so that a resumed run sees the ones that a whole run would see. */
function nextBatch(plan: Plan, tokenizer: TextTokenizer, progress: Progress): Encoded[] {
  const batch: Encoded[] = [];
  for (let tokens = 0; tokens < plan.batchTokens;) {
    const n = progress.document++;
    const part = progress.tokens < plan.skills * plan.tokens ? 'skills' : 'histories';
    const choice = stream(plan.seed, 'game', n).weighted(plan.games.map(({ weight }) => weight[part]));
    const seed = `pretrain ${plan.seed} ${n}`;
    const drilled = stream(plan.seed, 'drill', n).next() < plan.drills;
    const document = drilled ? makeDrill(seed) : makeDocument(plan.games[choice]!.game, seed, part);
    const encoded = encodeDocument(document, tokenizer, plan.documentTokens);
    if (!encoded.weights.some((weight) => weight > 0)) continue; // its answer was cut off
    batch.push(encoded);
    tokens += encoded.ids.length;
  }
  return batch;
}

async function save(
  folder: string,
  trainer: Trainer,
  progress: Progress,
  texts: { tokenizerJson: string; tokenizerConfig: string },
) {
  const files = saveModel(await trainer.weights(), {
    tokenizer: texts.tokenizerJson,
    tokenizerConfig: texts.tokenizerConfig,
  });
  for (const [name, bytes] of files) write(join(folder, name), bytes);
  const { m, v } = await trainer.optimizer();
  write(join(folder, `moments-${progress.step}.bin`), Buffer.concat([bytesOf(m), bytesOf(v)]));
  // Last, so that a cut-off save leaves the one before in force.
  write(join(folder, 'progress.json'), JSON.stringify(progress));
}

function write(path: string, content: Uint8Array | string) {
  writeFileSync(`${path}.tmp`, content);
  renameSync(`${path}.tmp`, path);
}

const bytesOf = (array: Float32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function readMoments(folder: string, step: number) {
  const bytes = readFileSync(join(folder, `moments-${step}.bin`));
  const count = bytes.length / 8;
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return { step, m: floats.slice(0, count), v: floats.slice(count) };
}
