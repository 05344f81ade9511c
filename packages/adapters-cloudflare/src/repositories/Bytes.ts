/** Bytes beside bytes, and in the order that git puts them. */

import { CloudflareLimits } from "../CloudflareLimits.ts"

/** As memcmp: negative when `one` comes first. */
export const compareBytes = (one: Uint8Array, other: Uint8Array): number => {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return one[at]! - other[at]!
  return one.length - other.length
}

/** Bytes as a text of one character each, so that lines of any encoding can be compared. `textBytes` is the way back. */
export const byteText = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

/** The bytes of a text that `byteText` made. */
export const textBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** Whether git takes a file for a binary one. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, CloudflareLimits.binaryLookBytes).includes(0)
