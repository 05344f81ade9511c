/** How screens are looked at: in both themes, wide and narrow, and as narrow as any page must fit. */
import { slice } from "@pawl/testing/Depth"

/** One of them. */
export interface ScreenLook {
  readonly theme: "light" | "dark"
  readonly width: number
}

const all: ReadonlyArray<ScreenLook> = (["light", "dark"] as const).flatMap((theme) =>
  [1280, 390].map((width) => ({ theme, width }))
)

/** Both themes, wide and narrow; a quick run takes two of them, and with the next commit the others. */
export const looks = slice(all, { quick: 2 })
/** The same, and the narrowest. */
export const looksToNarrow = slice<ScreenLook>([...all, { theme: "light", width: 320 }], { quick: 2 })
