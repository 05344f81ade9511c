import { brotliCompressSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { type Files, look } from "./RealAuthLook.ts"

describe("an asset that a browser could show as a page", () => {
  const field = '<input type="password">'
  const xhtml = (body: string, before = "") =>
    `<?xml version="1.0"?>${before}\n<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`
  const html = "/l.txt\n  Content-Type: text/html\n"
  const utf16 = (text: string, little: boolean) => {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le")
    return new Uint8Array(little ? bytes : bytes.swap16())
  }

  const bomb = Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(20)}">`).join("")

  const shown: Readonly<Record<string, Files>> = {
    "XHTML as .xml": { "public/login.xml": xhtml('<input type="password"/>') },
    "XHTML as .xml, with a prefix": {
      "public/a.xml": `<f xmlns:h="http://www.w3.org/1999/xhtml"><h:input type='password'/></f>`
    },
    "XHTML in a feed": { "public/a.atom": `<feed><div xmlns="http://www.w3.org/1999/xhtml">${field}</div></feed>` },
    "XHTML made by a style sheet": {
      "public/a.xsl": `<xsl:template match="/"><input type="password"/></xsl:template>`
    },
    "an element that swallows the rest only in HTML": { "public/a.xhtml": xhtml('<title/><input type="password"/>') },
    "an entity of the document's own": {
      "public/a.xml": xhtml(
        '<input type="&a;&b;"/>',
        '<!DOCTYPE html [<!ENTITY a "pass"><!ENTITY b "&c;"><!ENTITY c "&#119;ord">]>'
      )
    },
    "an entity beside one that comes to terabytes": {
      "public/a.xml": xhtml(
        '<p>&e30;</p><input type="&a;"/>',
        `<!DOCTYPE html [<!ENTITY e0 "x">${bomb}<!ENTITY a "pass&b;"><!ENTITY b "word">]>`
      )
    },
    "an attribute list of the document's own": {
      "public/a.xml": xhtml("<input/>", '<!DOCTYPE html [<!ATTLIST input type CDATA "password">]>')
    },
    "HTML inside SVG": {
      "public/a.svg": `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><input xmlns="http://www.w3.org/1999/xhtml" type="password"/></foreignObject></svg>`
    },
    "a text that _headers calls HTML": { "public/l.txt": field, "public/_headers": html },
    "a text that _headers calls XML": {
      "public/l.txt": `<title/>${field}`,
      "public/_headers": "/*\n  Content-Type: application/xhtml+xml\n"
    },
    "a text that _headers calls by its path": {
      "public/l/html": field,
      "public/_headers": "/l/:kind\n  Content-Type: text/:kind\n"
    },
    "a text that a rewrite and _headers call HTML": {
      "public/l.txt": field,
      "public/_redirects": "/login /l.txt 200\n",
      "public/_headers": "/login\n  Content-Type: text/html\n"
    },
    "a script that _headers calls HTML": {
      "public/l.js": `/* ${field} */`,
      "public/_headers": "/l.js\n  Content-Type: text/html\n"
    },
    "no extension, HTML by its first bytes": { "public/login": `\n <!doctype html><form>${field}</form>` },
    "an image by its name, HTML by its first bytes": { "public/a.png": `<script></script>${field}` },
    "UTF-16 in one order": { "public/a.html": utf16(field, true) },
    "UTF-16 in the other order": { "public/a.html": utf16(field, false) },
    "an encoding that _headers names": {
      "public/a.html": new Uint8Array(Buffer.from(field, "utf16le")),
      "public/_headers":
        "/a\n  Content-Type: text/html; charset=utf-16le\n/a.html\n  Content-Type: text/html; charset=utf-16le\n"
    },
    "packed, as _headers says": {
      "public/a.html": new Uint8Array(gzipSync(field)),
      "public/_headers": "/*\n  Content-Encoding: gzip\n"
    },
    "packed in another way, without an extension": {
      "public/a": new Uint8Array(brotliCompressSync(field)),
      "public/_headers": "/*\n  Content-Encoding: br\n"
    }
  }
  it.each(Object.entries(shown))("is refused with a password field: %s", async (_, files) => {
    expect((await look(files)).map(({ code }) => code)).toEqual(["password_field"])
  })

  const unseen: Readonly<Record<string, Files>> = {
    "plain text": { "public/l.txt": field },
    "plain text beside a rule for another": { "public/notes.txt": field, "public/_headers": html },
    "a comment of XML": { "public/a.xml": xhtml(`<!-- ${field} --><![CDATA[ <p> ]]>`) },
    "words of XML": { "public/a.xml": xhtml("<p type='x'>password</p>") },
    "markdown and data": { "public/a.md": field, "public/a.csv": field, "public/a.json": JSON.stringify({ field }) },
    "bytes that are no page": { "public/a.bin": new Uint8Array([0, 1, 2, 255]), "public/b": "password" },
    "entities that never end": {
      "public/a.xml": xhtml("<p>&a;</p>", `<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;password">]>`)
    }
  }
  it.each(Object.entries(unseen))("is not refused: %s", async (_, files) => {
    expect(await look(files)).toEqual([])
  })

  it("is bounded, whatever its XML declares or however far it unpacks", async () => {
    const files = {
      "public/bomb.xml": xhtml("<p>&e30;</p>", `<!DOCTYPE x [<!ENTITY e0 "password">${bomb}]>`),
      "public/tags.xml": `<?xml version="1.0"?>${"<a b='c' ".repeat(100_000)} password`,
      "public/zeros": new Uint8Array(gzipSync(new Uint8Array(60 * 1024 * 1024))),
      "public/_headers": "/zeros\n  Content-Encoding: gzip\n"
    }
    expect(await look(files)).toEqual([])
  }, 60_000)
})
