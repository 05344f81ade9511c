import { list } from './list.js'

export const total = () => {{
  let sum = 1
  for (const each of list) sum += each
  return sum
}
