/**
 * How screens are looked at: in both themes, wide and narrow, and as narrow as any page must fit. A run of all tests takes
 * one look at each, and with the next commit another; `test:long -- screens` takes all. The deep form takes none: what it
 * is for is chance, and a browser's time is long.
 */
import { sliceOf } from "@pawl/testing/Slices"
import { inject } from "vitest"

/** One of them. */
export interface ScreenLook {
  readonly theme: "light" | "dark"
  readonly width: number
}

const { depth, seed } = inject("pawlDepth") ?? { depth: "deep", seed: 0 }

/** Of these in turn, or all. */
export const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => (depth === "quick" ? sliceOf(all, 1, seed) : all)

const all: ReadonlyArray<ScreenLook> = (["light", "dark"] as const).flatMap((theme) =>
  [1280, 390].map((width) => ({ theme, width }))
)

/** Both themes, wide and narrow. */
export const looks = some(all)
/** The same, and the narrowest. */
export const looksToNarrow = some<ScreenLook>([...all, { theme: "light", width: 320 }])
