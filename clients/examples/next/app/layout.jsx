export const metadata = { title: 'Families in Next.js' }

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <main style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, 300px)', gap: 10 }}>{children}</main>
      </body>
    </html>
  )
}
