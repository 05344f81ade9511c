/** Files that remember which of them were asked for, those that are not there too. */

/** A file map that notes each path it is asked about. */
export class SeenFiles extends Map<string, Uint8Array> {
  /** Every path that was asked for so far. */
  readonly seen: Set<string> = new Set()

  override get(path: string): Uint8Array | undefined {
    this.seen.add(path)
    return super.get(path)
  }

  override has(path: string): boolean {
    this.seen.add(path)
    return super.has(path)
  }
}

const equal = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0

/** Whether other files give the same answers about these paths. */
export const answersAlike = (
  paths: Iterable<string>,
  one: ReadonlyMap<string, Uint8Array>,
  other: ReadonlyMap<string, Uint8Array>
): boolean => {
  for (const path of paths) if (!equal(one.get(path), other.get(path))) return false
  return true
}
