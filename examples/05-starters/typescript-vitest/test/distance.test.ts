import { expect, test } from 'vitest'
import { miles, Query } from '../src/distance'

test('a marathon', () => {
  expect(miles(42.195)).toBe(26.22)
})

test('what is no distance is refused', () => {
  expect(Query.safeParse({ km: 'far' }).success).toBe(false)
  expect(Query.safeParse({ km: '-1' }).success).toBe(false)
})
