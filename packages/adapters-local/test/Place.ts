/** Where a server of a test lives, when it does not live beside the test: a machine of its own. */
import type { Address } from "./OwnAddress.ts"

/** A place for a server: a folder, an address, and a way there. */
export interface Place {
  /** A new place to listen at. */
  readonly address: () => Address
  /** An empty folder, as programs see it there. */
  readonly folder: string
  /** The same folder, as this process reaches it. */
  readonly reached: string
  /** A command that becomes another one there: it gets that one's command line as its last arguments. */
  readonly wrap: ReadonlyArray<string>
}
