import { list } from './list.js'

export const total = () => {
  let sum = 0
  for (const each of list) sum += each
  return sum
}
