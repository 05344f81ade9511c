/**
 * Names of fields where they are not those inside: on the wire and in the store a record keeps the names that it always
 * had. A schema says them once; what encodes and decodes by it never meets them, and what writes JSON straight from a
 * schema can look them up.
 */
import { Schema, type SchemaAST } from "effect"

/** By the name inside, the one on the wire. A field that is not there is called the same. */
export type WireNames = Readonly<Record<string, string>>

/** What the wire calls a field. */
export const wireName = (names: WireNames, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name

/** By what encodes, which stays the same object when a schema is annotated or turned around. */
const known = new WeakMap<object, WireNames>()

type AnyStruct = Schema.Constraint & { readonly fields: Schema.Struct.Fields }

/** A Struct whose fields have other names in what it encodes to. They keep their order. */
export const withWireNames =
  <S extends AnyStruct, const M extends { readonly [K in keyof S["fields"]]?: string }>(names: M) =>
  (struct: S): Schema.encodeKeys<S, M> => {
    const renamed = Schema.encodeKeys<S, M>(names)(struct)
    const [link] = renamed.ast.encoding ?? []
    if (link !== undefined) known.set(link.transformation.encode, names as WireNames)
    return renamed
  }

/** What `withWireNames` did last to a Struct; null for a link that does anything else. */
export const wireNamesOf = ({ transformation }: SchemaAST.Link): WireNames | null =>
  known.get(transformation.encode) ?? null
