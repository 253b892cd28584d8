import { expect, test } from 'vitest';
import {
  decimalsFor,
  formatCount,
  formatEstimate,
  formatNumber,
  formatP,
  formatShare,
  formatSigned,
  roundCount,
} from './format.ts';

test('decimals show two significant digits of the width', () => {
  expect([0.05, 0.5, 1.3, 9.9, 10, 250].map(decimalsFor)).toEqual([3, 2, 1, 1, 0, 0]);
  expect(decimalsFor(0)).toBe(1);
  expect(decimalsFor(1e-9)).toBe(4);
});

test('a real minus sign for people, ASCII in data, no negative zero', () => {
  expect(formatNumber(-1.44, 1)).toBe('−1.4');
  expect(formatNumber(-1.44, 1, true)).toBe('-1.4');
  expect(formatNumber(-0.04, 1)).toBe('0.0');
  expect(formatNumber(null, 1)).toBe('–');
  expect(formatNumber(Number.NaN, 1, true)).toBe('-');
  expect(formatSigned(0.04, 1)).toBe('0.0');
  expect(formatSigned(1.4, 1)).toBe('+1.4');
});

test('estimates, shares, p, counts', () => {
  expect(formatEstimate({ mean: 1.42, lo: 0.8, hi: 2.06 }, { signed: true })).toBe('+1.4 (95 % 0.8 to 2.1)');
  expect(formatEstimate({ mean: -1.42, lo: null, hi: null })).toBe('−1.4 (no interval)');
  expect(formatShare(0.975)).toBe('97.5 %');
  expect(formatP(0.0004)).toBe('< 0.001');
  expect(formatP(0.0312)).toBe('0.031');
  expect([3, 9.2, 37, 412].map(roundCount)).toEqual([3, 10, 37, 420]);
  expect(formatCount(1234567)).toBe('1,234,567');
});
