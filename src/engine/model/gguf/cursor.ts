// Little-endian values one after the other from the first bytes of an untrusted file. Knows nothing of what they mean.
// Its two errors never leave this folder: header.ts turns them into coded ones.

/** The bytes at hand end before the value does: the caller fetches more, or says that the file is cut short. */
export class OutOfBytes extends Error {}

/** What is wrong with the file, without its name. */
export class BadHeader extends Error {}

export class Cursor {
  /** Bytes read so far. */
  at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  u8 = (): number => this.view.getUint8(this.take(1));
  i8 = (): number => this.view.getInt8(this.take(1));
  u16 = (): number => this.view.getUint16(this.take(2), true);
  i16 = (): number => this.view.getInt16(this.take(2), true);
  u32 = (): number => this.view.getUint32(this.take(4), true);
  i32 = (): number => this.view.getInt32(this.take(4), true);
  f32 = (): number => this.view.getFloat32(this.take(4), true);
  f64 = (): number => this.view.getFloat64(this.take(8), true);
  u64 = (): number | bigint => safe(this.view.getBigUint64(this.take(8), true));
  i64 = (): number | bigint => safe(this.view.getBigInt64(this.take(8), true));

  /** A count or an offset: a u64; one beyond 2^53 is rounded, and is too large for any file. */
  size = (): number => Number(this.u64());

  /** A length, then UTF-8. */
  string = (): string => {
    const length = this.size();
    const from = this.take(length);
    try {
      return utf8.decode(this.bytes.subarray(from, from + length));
    } catch {
      throw new BadHeader('a text in its header is not UTF-8');
    }
  };

  private take(count: number): number {
    if (count > this.bytes.length - this.at) throw new OutOfBytes();
    const from = this.at;
    this.at += count;
    return from;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const safe = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};
