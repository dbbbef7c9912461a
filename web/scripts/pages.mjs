// The pages that screenshots and axe go through. `do` brings a page into a state; `view` is the gallery's.
const norway = '/f/Journeys/Norway'

export const pages = {
  login: { path: '/login', guest: true },
  setup: { path: '/setup', guest: true },
  gallery: { path: `${norway}?sort=size` },
  library: { path: '/' },
  selection: {
    path: `${norway}?sort=size&q=is%3Alandscape`,
    async do(page) {
      for (const n of [0, 1]) await page.locator('[role=option]').nth(n).locator('[data-pick]').click({ force: true })
      await page.mouse.move(0, 0)
    },
  },
  list: { path: norway, view: 'list' },
  square: { path: norway, view: 'square' },
  menu: { path: norway, do: (page) => page.getByRole('button', { name: 'Sorted by' }).click() },
  move: {
    path: norway,
    async do(page) {
      await page.locator('[role=option] [data-pick]').first().click({ force: true })
      await page.getByRole('button', { name: 'Move', exact: true }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  folder: {
    path: norway,
    async do(page) {
      await page.getByRole('button', { name: 'New folder' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  search: { path: '/search?q=type%3Apng' },
  nothing: { path: `${norway}?q=nothing-has-this-name` },
  trash: { path: '/trash' },
  me: { path: '/me' },
  viewer: { path: `/i/Journeys/Norway/${process.env.PICTURES ? 'fjord.jpg' : 'dawn.jpg'}` },
  info: { path: `/i/Journeys/Norway/${process.env.PICTURES ? 'fjord.jpg' : 'dawn.jpg'}?info=1` },
  noPicture: { path: '/i/Journeys/Norway/nothing.jpg' },
  nowhere: { path: '/f/No/Such/Folder' },
}
