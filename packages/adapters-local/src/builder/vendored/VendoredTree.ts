/** The files of the packages that Pawl brings along, wherever they are kept. */
import { textOf } from "@pawl/core/primitives/Utf8"
import type { Tree } from "../bundler/TreePaths.ts"

/** The files below the vendored packages' folders, as bytes too. */
export interface VendoredTree extends Tree {
  readonly bytes: (path: string) => Uint8Array | undefined
}

/** A tree of files that are found by their bytes. */
export const vendoredTree = (files: Pick<VendoredTree, "has" | "bytes">): VendoredTree => ({
  ...files,
  text: (path) => {
    const content = files.bytes(path)
    return content === undefined ? undefined : textOf(content)
  }
})
