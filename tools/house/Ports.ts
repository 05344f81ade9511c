/** Which ports a source declares: a tag, or a reference with a default. */

const declared = /^export (?:class (\w+) extends Context\.Service<|const (\w+) = Context\.Reference)/gm

/** The names of the tags that a source text exports, in its order. */
export const portsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(declared), ([, tag, reference]) => tag ?? reference ?? "")
