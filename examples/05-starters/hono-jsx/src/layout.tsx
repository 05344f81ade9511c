import type { FC, PropsWithChildren } from 'hono/jsx'

export const Layout: FC<PropsWithChildren<{ title: string }>> = ({ children, title }) => (
  <html lang="en">
    <head>
      <title>{title}</title>
    </head>
    <body>{children}</body>
  </html>
)
