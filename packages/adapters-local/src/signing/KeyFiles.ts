/** Private keys as files of the data folder, readable by their owner alone: PKCS #8 in PEM, as openssl reads and writes it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import type { KeyAlgorithm } from "@pawl/core/model/SigningKey"
import { type PublicKey, publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import type { SignatureUse } from "@pawl/core/provenance/Signer"

/** The name of the file of each use. */
export const keyFileNames: Readonly<Record<SignatureUse, string>> = { statement: "signing-key", log: "log-key" }

/** A private key that was read, with its public one. */
export interface KeyPair {
  readonly shown: PublicKey
  /** Of P-256 in DER, of Ed25519 its 64 bytes. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

/** The key pair of a PEM; null where it is no private key of an algorithm that is used here. */
export const keyPairOf = (pem: string): KeyPair | null => {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return null
  }
  const shown = publicKeyOf(createPublicKey(key).export({ type: "spki", format: "der" }))
  if (shown === null) return null
  const digest = shown.algorithm === "ed25519" ? null : "sha256"
  return { shown, sign: (message) => sign(digest, message, key) }
}

/** A new private key, as it is written. */
export const newKey = (algorithm: KeyAlgorithm): string => {
  const { privateKey } =
    algorithm === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString()
}

/** Whether an error says that there is no such file. */
const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** What a key file holds; null where there is none. Throws where it cannot be read. */
export const readKey = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const written = (path: string, text: string): string => {
  const temporary = `${path}.${process.pid}.new`
  const file = openSync(temporary, "w", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return temporary
}

/** Without it a name may be lost with the machine's power, however whole its file is. */
const syncFolder = (folder: string): void => {
  const open = openSync(folder, "r")
  try {
    fsyncSync(open)
  } finally {
    closeSync(open)
  }
}

/** Writes a file that only its owner reads, whole, in place of one that is there. It outlives a loss of power. */
export const replaceFile = (path: string, text: string): void => {
  renameSync(written(path, text), path)
  syncFolder(dirname(path))
}

/**
 * Writes a file that only its owner reads, whole, unless there is one: the one of another process that was faster stays.
 * Answers whether it is this one.
 */
const createFile = (path: string, text: string): boolean => {
  const temporary = written(path, text)
  try {
    linkSync(temporary, path)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  } finally {
    unlinkSync(temporary)
  }
}

/** Where the key that follows waits. */
const nextPath = (data: string, use: SignatureUse): string => join(data, `${keyFileNames[use]}.next`)

/** A key that is to follow, beside the one that signs, until it is stated: a rotation that died goes on with it. */
export const nextKey = (data: string, use: SignatureUse, algorithm: KeyAlgorithm): KeyPair | null => {
  const path = nextPath(data, use)
  createFile(path, newKey(use === "log" ? "ed25519" : algorithm))
  return keyPairOf(readKey(path) ?? "")
}

/** Puts the key that follows in the place of the one before, where it has this id and is not there already. */
export const takeNextKey = (data: string, use: SignatureUse, keyid: string): void => {
  const path = nextPath(data, use)
  const text = readKey(path)
  if (text === null || keyPairOf(text)?.shown.keyid !== keyid) return
  renameSync(path, join(data, keyFileNames[use]))
  syncFolder(data)
}

/** Makes the key of a use in a data folder that has none. Answers whether it was made now. */
export const makeKey = (data: string, use: SignatureUse, algorithm: KeyAlgorithm): boolean => {
  const path = join(data, keyFileNames[use])
  return readKey(path) === null && createFile(path, newKey(use === "log" ? "ed25519" : algorithm))
}
