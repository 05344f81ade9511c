/**
 * Writes Cap'n Proto messages of one segment, the encoding in which workerd takes its configuration on standard input.
 * Source: https://capnproto.org/encoding.html
 */
const wordBytes = 8

/** What a pointer leads to. `null` is the field's default, which for a list need not be the empty one. */
export type Pointed =
  | null
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "list"; readonly items: ReadonlyArray<Pointed> }
  | { readonly kind: "struct"; readonly struct: Struct }
  | { readonly kind: "structs"; readonly shape: Shape; readonly items: ReadonlyArray<Struct> }

/** Sizes of a struct's sections: `data` in words, `pointers` in number. */
export interface Shape {
  readonly data: number
  readonly pointers: number
}

/** A struct as it is to be written. */
export interface Struct {
  readonly shape: Shape
  /** The data section in units of 16 bits, from its start; what is missing is 0. */
  readonly data: ReadonlyArray<number>
  /** By number; what is missing is null. */
  readonly pointers: Readonly<Record<number, Pointed>>
}

/** A text: UTF-8 and a NUL. */
export const text = (value: string): Pointed => ({ kind: "bytes", bytes: Buffer.from(`${value}\0`, "utf8") })
/** A `Data`: bytes without a NUL behind them. */
export const data = (bytes: Uint8Array): Pointed => ({ kind: "bytes", bytes })
/** A `List(Text)`. */
export const texts = (values: ReadonlyArray<string>): Pointed => ({ kind: "list", items: values.map(text) })
/** A pointer to one struct. */
export const one = (struct: Struct): Pointed => ({ kind: "struct", struct })
/** A list of structs that all have this shape. */
export const structs = (shape: Shape, items: ReadonlyArray<Struct>): Pointed => ({ kind: "structs", shape, items })

const wordsOf = ({ data: words, pointers }: Shape): number => words + pointers
const wordsFor = (bytes: number): number => Math.ceil(bytes / wordBytes)

/** The words that a value takes behind its pointer, with all that it points to. */
const sizeOf = (value: Pointed): number => {
  if (value === null) return 0
  if (value.kind === "bytes") return wordsFor(value.bytes.length)
  if (value.kind === "list") return value.items.length + value.items.reduce((sum, item) => sum + sizeOf(item), 0)
  if (value.kind === "struct") return structSize(value.struct)
  return 1 + value.items.reduce((sum, item) => sum + structSize(item), 0)
}
const structSize = (struct: Struct): number =>
  Object.values(struct.pointers).reduce((sum, value) => sum + sizeOf(value), wordsOf(struct.shape))

class Segment {
  readonly buffer: Buffer
  private free = 0

  constructor(words: number) {
    // The table before the segment: one segment, and its size.
    this.buffer = Buffer.alloc((words + 1) * wordBytes)
    this.buffer.writeUInt32LE(words, 4)
  }

  allocate(words: number): number {
    const at = this.free
    this.free += words
    return at
  }

  write(low: number, high: number, word: number): void {
    this.buffer.writeUInt32LE(low >>> 0, this.byteOf(word))
    this.buffer.writeUInt32LE(high >>> 0, this.byteOf(word) + 4)
  }

  byteOf(word: number): number {
    return (word + 1) * wordBytes
  }
}

const fillStruct = (segment: Segment, at: number, struct: Struct): void => {
  for (const [index, unit] of struct.data.entries()) segment.buffer.writeUInt16LE(unit, segment.byteOf(at) + 2 * index)
  for (const [index, value] of Object.entries(struct.pointers))
    point(segment, at + struct.shape.data + Number(index), value)
}

/** Writes a pointer into the word `from`, and behind everything so far what it leads to. */
const point = (segment: Segment, from: number, value: Pointed): void => {
  if (value === null) return
  const lead = (at: number, kind: 0 | 1, high: number) => segment.write(((at - from - 1) << 2) | kind, high, from)
  if (value.kind === "bytes") {
    const at = segment.allocate(wordsFor(value.bytes.length))
    segment.buffer.set(value.bytes, segment.byteOf(at))
    return lead(at, 1, 2 | (value.bytes.length << 3))
  }
  if (value.kind === "list") {
    const at = segment.allocate(value.items.length)
    lead(at, 1, 6 | (value.items.length << 3))
    return value.items.forEach((item, index) => point(segment, at + index, item))
  }
  if (value.kind === "struct") {
    const { shape } = value.struct
    const at = segment.allocate(wordsOf(shape))
    lead(at, 0, shape.data | (shape.pointers << 16))
    return fillStruct(segment, at, value.struct)
  }
  const { items, shape } = value
  const at = segment.allocate(1 + items.length * wordsOf(shape))
  lead(at, 1, 7 | ((items.length * wordsOf(shape)) << 3))
  segment.write(items.length << 2, shape.data | (shape.pointers << 16), at)
  items.forEach((item, index) => fillStruct(segment, at + 1 + index * wordsOf(shape), item))
}

/** The message whose root is `struct`. */
export const encode = (struct: Struct): Buffer => {
  const root = one(struct)
  const segment = new Segment(1 + sizeOf(root))
  segment.allocate(1)
  point(segment, 0, root)
  return segment.buffer
}
