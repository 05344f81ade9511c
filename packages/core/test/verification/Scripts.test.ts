import { describe, expect, it } from "vitest"
import { holdsScript } from "@pawl/core/verification/Scripts"

const bytes = (text: string, encoding: "utf8" | "utf16le" | "latin1" = "utf8") =>
  new Uint8Array(Buffer.from(text, encoding))

describe("A file that is served", () => {
  it("holds no script when it is only text and pictures", () => {
    for (const text of [
      "<!doctype html><html lang=en><head><title>Shop</title><link rel=stylesheet href=/style.css></head><p>One day</p></html>",
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>',
      "body { color: teal } /* a description */",
      "# A page\n\nCondition = none; see the on-call list.\n",
      '<!DOCTYPE html><meta charset="utf-8"><a href="/on?x=1">on</a><img src="data:image/png;base64,AA==">'
    ])
      expect(`${text} ${holdsScript(bytes(text), true)}`).toBe(`${text} false`)
    expect(holdsScript(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]), false)).toBe(false)
  })

  it("holds one in each way in which a browser would run one", () => {
    for (const text of [
      "<script>alert(1)</script>",
      "<SCRIPT src=/app.js></SCRIPT>",
      "<svg><svg:script href='a.js'/></svg>",
      '<img src=x onerror="alert(1)">',
      "<svg/onload=alert(1)>",
      "<body\nonpageshow\n=\nalert(1)>",
      '<a href="javascript:alert(1)">x</a>',
      '<a href="java&#115;cript&colon;alert(1)">x</a>',
      '<a href="jav\n  ascript:alert(1)">x</a>',
      '<a href="java&Tab;script:alert(1)">x</a>',
      '<iframe srcdoc="&lt;script&gt;1&lt;/script&gt;"></iframe>',
      "<object data=x.svg></object>",
      "<embed src=x>",
      '<meta http-equiv=refresh content="0;url=x">',
      '<svg><set attributeName="onclick" to="alert(1)"/></svg>',
      '<svg><animate attributeName="xlink:href" values="x"/></svg>',
      "<svg><foreignObject></foreignObject></svg>",
      '<a href="data:text/html,&lt;p&gt;">x</a>',
      '<!DOCTYPE svg [<!ENTITY x "y">]><svg/>',
      '<?xml-stylesheet href="a.xsl"?><svg/>',
      "<link rel=modulepreload href=/a.js>"
    ])
      expect(`${text} ${holdsScript(bytes(text), true)}`).toBe(`${text} true`)
  })

  it("counts as one that holds a script when its text cannot be read as a browser may read it", () => {
    expect(holdsScript(bytes("\ufeff<script>1</script>", "utf16le"), true)).toBe(true)
    expect(holdsScript(new Uint8Array([0xff, 0xfe, 0x3c]), true)).toBe(true)
    expect(holdsScript(bytes("<p>\u001b$B<p>"), true)).toBe(true)
    expect(holdsScript(bytes("GIF89a<script>1</script>", "latin1"), false)).toBe(true)
  })
})
