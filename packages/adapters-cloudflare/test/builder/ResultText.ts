/** A build's whole result as one text, to be compared byte for byte. */
import type { BuildResult } from "@pawl/core/bundle/AppBuilder"
import { canonicalJson } from "@pawl/core/primitives/Digest"

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
const sorted = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].map(([path, bytes]) => [path, hex(bytes)] as const))

/** `bundle.json`, and everything beside it, in canonical JSON. */
export const resultText = (result: BuildResult): string => {
  if (result._tag !== "Built") return canonicalJson(result)
  const { assets, objects, ...rest } = result
  return canonicalJson({ ...rest, assets: sorted(assets), objects: sorted(objects) })
}
