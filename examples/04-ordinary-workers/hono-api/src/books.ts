export interface Book {
  readonly id: number
  readonly title: string
}

const books = new Map<number, Book>([
  [1, { id: 1, title: "A Pattern Language" }],
  [2, { id: 2, title: "The Timeless Way of Building" }]
])

export const all = (): ReadonlyArray<Book> => [...books.values()]
export const find = (id: number): Book | undefined => books.get(id)
