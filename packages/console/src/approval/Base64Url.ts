/** Bytes as the wire has them. */

/** base64 as `getPublicKey()` is sent. */
export const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))

/** base64url without padding. */
export const base64Url = (bytes: ArrayBuffer): string =>
  base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** The bytes of base64url. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))
