/** Lists, page by page. */

/** All items of a list, or the first `most`. */
export const everyItem = async <Item>(
  read: (
    cursor: string | undefined
  ) => Promise<{ readonly items: ReadonlyArray<Item>; readonly nextCursor: string | null }>,
  most = Infinity
): Promise<ReadonlyArray<Item>> => {
  const all: Array<Item> = []
  let cursor: string | undefined
  for (;;) {
    const page = await read(cursor)
    all.push(...page.items)
    if (page.nextCursor === null || all.length >= most) return all.slice(0, most)
    cursor = page.nextCursor
  }
}
