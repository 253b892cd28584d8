import { describe, expect, it } from 'vitest';
import { resolveSettings, type Setting, type Settings } from '../../gym/settings.ts';
import { SETTINGS } from '../../gym/settingsTable.ts';
import { differing, fromSearch, namesMore, toSearch } from './url.ts';

const extra: Setting[] = [
  {
    key: 'opponents',
    label: 'x',
    help: 'x',
    group: 'question',
    kind: 'choice',
    choices: ['all', 'few'],
    default: 'all',
  },
];

describe('the address', () => {
  it('is empty for the defaults, and for the defaults written out', () => {
    expect(toSearch({})).toBe('');
    expect(toSearch(resolveSettings({}))).toBe('');
  });

  it('gives back what it was given, under either preset', () => {
    const both: Settings[] = [
      { games: ['trust-v1'], strict: 12, temperature: 0.9, greedyScore: false },
      { preset: 'paper', explore: 12, pathways: ['frozen', 'training@oracle-judge'] },
    ];
    for (const given of both) {
      const search = toSearch(given);
      expect(search.startsWith('?v=1&')).toBe(true);
      expect(fromSearch(search)).toEqual({ settings: given, autorun: false, errors: [] });
    }
  });

  it('holds only what differs from the preset’s own default', () => {
    const paper = SETTINGS.find(({ key }) => key === 'explore')!.paper!;
    expect(differing({ preset: 'paper', explore: paper })).toEqual({ preset: 'paper' });
    expect(differing({ explore: paper })).toEqual({ explore: paper });
  });

  it('takes bare game names, and autorun', () => {
    const { settings, autorun } = fromSearch('?v=1&games=trust,tetris&autorun=1');
    expect(settings).toEqual({ games: ['trust-v1', 'tetris-v1'] });
    expect(autorun).toBe(true);
    expect(toSearch(settings, true)).toBe('?v=1&games=trust-v1,tetris-v1&autorun=1');
    expect(fromSearch('?games=go,all').settings).toEqual({ games: ['go', 'all'] });
  });

  it('knows a game by its bare name wherever it is typed', () => {
    expect(differing({ games: ['Trust'] })).toEqual({ games: ['trust-v1'] });
    expect(differing({ games: ['snake'] })).toEqual({});
    // As an imported log may have it.
    expect(differing({ games: 'snake' })).toEqual({ games: 'snake' });
    expect(differing({ games: [5] })).toEqual({ games: [5] });
  });

  it('names what it cannot read and keeps the rest', () => {
    const { settings, errors } = fromSearch('?v=7&strict=-4&explore=6&nonsense=1');
    expect(settings).toEqual({ explore: 6 });
    expect(errors.map(({ code }) => code)).toEqual(['settings/version', 'settings/bad-value', 'settings/unknown']);
  });

  it('knows settings of plug-ins and games once they are given', () => {
    expect(namesMore('?v=1&opponents=few&autorun=1')).toBe(true);
    expect(namesMore('?v=1&strict=3')).toBe(false);
    expect(fromSearch('?v=1&opponents=few', extra).settings).toEqual({ opponents: 'few' });
    expect(toSearch({ opponents: 'few' }, false, extra)).toBe('?v=1&opponents=few');
  });
});
