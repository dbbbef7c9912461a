import { SafelightImage } from '@safelight/client/react'
import pictures from '../pictures.json'

export default function App() {
  return (
    <main style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, 300px)', gap: 10 }}>
      {pictures.map(({ template, alt, width, height, thumbHash }) => (
        <SafelightImage key={alt} family={template} alt={alt} width={width} height={height} thumbHash={thumbHash} />
      ))}
    </main>
  )
}
