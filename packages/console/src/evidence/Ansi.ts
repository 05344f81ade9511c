/** What a program wrote for a terminal, as pieces of text with the names of their looks. Nothing of it becomes HTML. */
import Anser from "anser"

/** Text that looks alike. `look` names classes of the style sheet; empty for plain text. */
export interface Piece {
  readonly text: string
  readonly look: string
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

/** Which of the eight colours comes nearest to three parts of 0 to 255: the theme of the page knows those. */
const nearest = (red: number, green: number, blue: number): string => {
  const brightest = Math.max(red, green, blue)
  if (brightest < 64) return "black"
  const bits = [red, green, blue].map((part, place) => (part > brightest * 0.6 ? 1 << place : 0))
  return names[bits.reduce((sum, bit) => sum | bit, 0)] ?? "white"
}

const paletteColour = (index: number): string => {
  if (index < 16) return names[index % 8] ?? "white"
  if (index >= 232) return index < 238 ? "black" : "white"
  const place = index - 16
  const part = (step: number) => Math.floor(place / step) % 6
  return nearest(part(36) * 51, part(6) * 51, part(1) * 51)
}

const colourOf = (said: string | null, whole: string | null): string | null => {
  if (said === null || said === "") return null
  if (said === "ansi-truecolor") {
    const [red = 0, green = 0, blue = 0] = (whole ?? "").split(",").map(Number)
    return nearest(red, green, blue)
  }
  const [, palette] = /^ansi-palette-(\d+)$/.exec(said) ?? []
  if (palette !== undefined) return paletteColour(Number(palette))
  return /^ansi-(?:bright-)?([a-z]+)$/.exec(said)?.[1] ?? null
}

// Titles of windows and links (OSC), other strings, and all sequences but those of colours.
const otherSequences =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[[0-9;?<=>!]*[ -/]*[@-ln-~]|[^[\]PX^_])/g
// oxlint-disable-next-line no-control-regex
const cutSequence = /\u001b(?:\[[0-9;?<=>!]*[ -/]*)?$/
// oxlint-disable-next-line no-control-regex
const otherControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g

/** A line that was written over shows what was written last, as on a terminal. */
const overwritten = (line: string): string => line.slice(line.lastIndexOf("\r") + 1)

/** The text without what moves a cursor, sets titles or hides text: only colours are left of its escapes. */
export const cleaned = (text: string): string =>
  text
    .replace(/\r+\n/g, "\n")
    .replace(cutSequence, "")
    .replaceAll(otherSequences, "")
    .replaceAll(otherControls, "")
    .split("\n")
    .map(overwritten)
    .join("\n")

const styles = ["bold", "italic", "underline", "dim"] as const

/** The pieces of what was written, in its order. */
export const ansiPieces = (text: string): ReadonlyArray<Piece> =>
  Anser.ansiToJson(cleaned(text), { json: true, use_classes: true, remove_empty: true }).map((part) => {
    const colour = colourOf(part.fg, part.fg_truecolor)
    // What stands on a colour is shown in that colour, framed: the theme sees to it that it can be read.
    const ground = colourOf(part.bg, part.bg_truecolor)
    const look = [
      ...(colour !== null && ground === null ? [`ansi-${colour}`] : []),
      ...(ground === null ? [] : [`ansi-on-${ground}`]),
      ...styles.filter((name) => part.decorations.includes(name)).map((name) => `ansi-${name}`)
    ]
    return { text: part.content, look: look.join(" ") }
  })
