/** A file to upload, and its path within what was chosen. */
export type Picked = { file: File; path: string }

/** Lets the person choose files. Empty when they change their mind. */
export function pickFiles(): Promise<Picked[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = true
    input.accept = 'image/*,application/pdf'
    input.addEventListener('change', () => resolve([...(input.files ?? [])].map((file) => ({ file, path: file.name }))))
    input.addEventListener('cancel', () => resolve([]))
    input.click()
  })
}

/** The name of a pasted file. A picture without one, which browsers call image.png, is called by the time. */
export function pastedName(file: { name: string }, now: Date): string {
  if (!/^image\.(\w+)$/.test(file.name)) return file.name
  const two = (n: number) => String(n).padStart(2, '0')
  const time = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-') + ' ' + [two(now.getHours()), two(now.getMinutes()), two(now.getSeconds())].join('.')
  return `${time}${file.name.slice('image'.length)}`
}

/** The files that were dropped, with those in dropped folders. Hidden ones are left out. */
export async function filesOf(data: DataTransfer): Promise<Picked[]> {
  const entries = [...data.items].filter((item) => item.kind === 'file').map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile())
  const found: Picked[] = []
  for (const entry of entries) {
    if (entry instanceof File) found.push({ file: entry, path: entry.name })
    else if (entry) await walk(entry, '', found)
  }
  return found
}

async function walk(entry: FileSystemEntry, folder: string, found: Picked[]): Promise<void> {
  if (entry.name.startsWith('.')) return
  const path = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ file, path })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // A reader answers with at most 100 entries at a time, until there are no more.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!part.length) return
    for (const child of part) await walk(child, `${path}/`, found)
  }
}
