import { describe, expect, it } from 'vitest';
import { CodedError } from '../../errors.ts';
import { RandomStream } from '../model/random.ts';
import { wellFormed } from './bytes.ts';
import { TextTokenizer } from './tokenizer.ts';
import { BOS, buildVocabulary, wordsOf } from './vocabulary.ts';

const words = [
  ...[
    'Env',
    'LLM',
    'Answer',
    ' Answer',
    'UP',
    ' UP',
    'DOWN',
    ' DOWN',
    ' left',
    ' up2',
    'up2',
    'up22',
    ' up',
    ' heading',
  ],
  ...[
    ' 12',
    '12',
    '137',
    ' 0',
    ' +1',
    '+1',
    '-1',
    ' -1',
    ' ->',
    '->',
    '-->',
    '...',
    ' As:r5',
    'W0',
    '0,1',
    'N@3',
    ' h4',
  ],
  ...[
    ' don',
    "n't",
    ' Zug',
    ' größer',
    '高',
    ' 高い',
    '🙂',
    ' |',
    '[[',
    'a.b*c',
    '__proto__',
    ' constructor',
    'toString',
  ],
];
const build = (list: readonly string[]) => {
  const { tokenizerJson, tokenizerConfigJson } = buildVocabulary(list);
  return new TextTokenizer(tokenizerJson, tokenizerConfigJson);
};
const nano = build(words);
const namesOf = (text: string) => nano.encode(text).map((id) => nano.tokenText(id));

/** Random text: game-like pieces, all of Unicode, odd white space. */
function randomText(random: RandomStream, pieces: number): string {
  const pick = (n: number) => random.next() % n;
  const one = (): string => {
    switch (pick(8)) {
      case 0:
        return ' ';
      case 1:
        return '\n';
      case 2:
        return String.fromCodePoint(pick(0x80));
      case 3:
        return String.fromCodePoint(pick(0x3000));
      case 4:
        return String.fromCodePoint(pick(0x110000));
      case 5:
        return ['\t', '\r\n', '\u00a0', '\u2028', '\ufeff', '\u0301', '\u0085', '\u3000', '<|bos|>', '👩‍👩‍👧'][pick(10)]!;
      case 6:
        return words[pick(words.length)]!.slice(0, 1 + pick(6));
      default:
        return words[pick(words.length)]!;
    }
  };
  return Array.from({ length: 1 + pick(pieces) }, one).join('');
}

describe('a built vocabulary', () => {
  it('has the specials, the bytes and the words at fixed ids', () => {
    expect([nano.bos, nano.eos, nano.pad]).toEqual([0, 1, 2]);
    for (const byte of [0, 10, 32, 127, 255]) expect(nano.bytesOf(3 + byte)).toEqual(Uint8Array.of(byte));
    expect(nano.vocabSize).toBe(259 + words.length);
    expect(words.map((word) => nano.tokenText(259 + words.indexOf(word)))).toEqual(words);
  });

  it('gives one token for a listed word between white space, ends and punctuation', () => {
    words.forEach((word, i) => {
      expect(nano.encode(word)).toEqual([259 + i]);
      for (const after of [' ', '\n', '\t', '!']) expect(nano.encode(word + after)[0]).toBe(259 + i);
      for (const before of ['\n', '\t', ...(word.startsWith(' ') ? ['x', '!'] : [])]) {
        expect(nano.encode(before + word).at(-1)).toBe(259 + i);
      }
    });
  });

  it('splits as it should', () => {
    // ` up22` and ` up3` are not listed, `up22` and ` up` are
    // ` up22` and ` up3` are not listed, `up22` and ` up` are
    expect(namesOf('Env: heading UP, up2 up22 up3\nLLM: Answer: UP ->12').join('·')).toBe(
      'Env·:· heading· UP·,· up2· up·2·2· up·3·\n·LLM·:· Answer·:· UP· ->·12',
    );
    expect(namesOf('up2x up22')).not.toContain('up2'); // a word does not end within a word
    expect(namesOf('0,1 0,12').slice(0, 2)).toEqual(['0,1', ' 0']);
    expect(namesOf('137 1379')).toEqual(['137', ' ', '1', '3', '7', '9']);
  });

  it('loses nothing: 4,000 random texts', () => {
    const random = new RandomStream(1, 'vocabulary');
    for (let i = 0; i < 4_000; i++) {
      const text = randomText(random, 12);
      if (nano.decode(nano.encode(text)) !== wellFormed(text))
        expect(nano.decode(nano.encode(text))).toBe(wellFormed(text));
    }
  });

  it('is prefix-stable before white space: 4,000 random pairs', () => {
    const random = new RandomStream(2, 'vocabulary');
    for (let i = 0; i < 4_000; i++) {
      const a = randomText(random, 8).replace(/\p{White_Space}+$/u, '');
      const b = [' ', '\n', '\t', '\n\n', '  '][random.next() % 5]! + randomText(random, 8);
      const parts = [...nano.encode(a), ...nano.encode(b)];
      if (String(nano.encode(a + b)) !== String(parts)) expect([a, b, nano.encode(a + b)]).toEqual([a, b, parts]);
    }
  });

  it('never makes a special token from text', () => {
    expect(nano.encode(BOS)).not.toContain(0);
    expect(nano.decode(nano.encode(`x ${BOS} y`))).toBe(`x ${BOS} y`);
    expect(nano.encodeTrusted(`${BOS}UP`)).toEqual([0, 259 + words.indexOf('UP')]);
  });

  it('is the same text for the same words', () => {
    expect(buildVocabulary(words)).toEqual(buildVocabulary([...words]));
    expect(build(words).hash).toBe(nano.hash);
    expect(build([]).encode('UP')).toHaveLength(2);
  });

  it.each(['', ' ', 'a b', ' a b', '  a', 'a\nb', '\n', '\ud800', ' ', 'x<|eos|>'].filter((w) => !/^[ \n]$/.test(w)))(
    'refuses %j as a word',
    (word) => expect(() => buildVocabulary([word])).toThrow(CodedError),
  );
});

describe('wordsOf', () => {
  it('lists the commonest first, ties by code unit, and leaves single bytes out', () => {
    const found = wordsOf(['Env: UP, UP\nLLM: UP 12', 'é é é'], 1);
    expect(found).toEqual([' UP', ' é', ' 12', 'Env', 'LLM', 'é']);
    expect(wordsOf(['Env: UP, UP\nLLM: UP 12', 'é é é'], 2)).toEqual([' UP', ' é']);
  });

  it('keeps frequent compounds and takes rare ones apart', () => {
    expect(wordsOf([' up2 up2 up3', ' up +1 +1 -2 -2 -3'], 2)).toEqual([' +1', ' -2', ' up', ' up2']);
  });

  it('makes a vocabulary that spells its corpus without bytes', () => {
    const corpus = [
      'Env: heading up | free left, up | apple up2 left1',
      'LLM: Answer: left, Score: +1',
      'Env: r3 c4 -2',
    ];
    const tokenizer = build(wordsOf(corpus));
    const lengths = corpus.map((line) => tokenizer.encode(line).length);
    expect(lengths).toEqual([13, 9, 5]);
  });
});
