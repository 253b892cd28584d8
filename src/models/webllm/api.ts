// The parts of WebLLM's published types that are used here, so that a scripted engine can stand in its place. The
// package itself (2 MB gzip) is imported by its worker alone, when a model is opened.
import type {
  AppConfig,
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionRequestStreaming,
  InitProgressReport,
  LogitProcessor,
  ModelRecord,
} from '@mlc-ai/web-llm';

export type Chunk = ChatCompletionChunk;
export type Message = ChatCompletionMessageParam;
export type Request = ChatCompletionRequestStreaming;
export type Progress = InitProgressReport;
export type Processor = LogitProcessor;
export type Entry = ModelRecord;

export interface Engine {
  reload(modelId: string): Promise<void>;
  unload(): Promise<void>;
  interruptGenerate(): void | Promise<void>;
  chat: { completions: { create(request: Request): Promise<AsyncIterable<Chunk>> } };
}

export interface WebllmModule {
  MLCEngine: new (config: {
    appConfig: AppConfig;
    initProgressCallback: (report: Progress) => void;
    logitProcessorRegistry: Map<string, Processor>;
    logLevel: 'WARN';
  }) => Engine;
  prebuiltAppConfig: AppConfig;
  /** Of the compiled model libraries; part of what a model is. */
  modelVersion: string;
}
