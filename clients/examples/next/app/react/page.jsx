import { SafelightImage } from '@safelight/client/react'
import pictures from '../../pictures.json'

export default function Page() {
  return pictures.map(({ template, ...picture }) => <SafelightImage key={picture.alt} family={template} alt={picture.alt} width={picture.width} height={picture.height} thumbHash={picture.thumbHash} />)
}
