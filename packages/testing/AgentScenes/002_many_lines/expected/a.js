import { list } from './list.js'

export const total = () => {
  return list.reduce((sum, each) => sum + each, 0)
}
