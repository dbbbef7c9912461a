const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/Tray-OTD67gWV.js","app/svelte-BHrW82HM.js","app/icons-CqsSVlvl.js","app/Tray-hDriS0Wu.css","app/Admin-Bsx3LyJY.js","app/actions-BJrFBizT.js","app/Dialog-C91pTfN1.js","app/scroll-lock-FStSKf6_.js","app/Dialog-CtJLdqMQ.css","app/Field-BC-QIeKo.js","app/Field-_qwH4VwC.css","app/Menu-BHmhPhvc.js","app/Menu-CX7M6Jmw.css","app/Tokens-e6SMPGSa.js","app/Tokens-DuWfycd6.css","app/Admin-rYrb6GP4.css","app/Gallery-B26O4KHj.js","app/ViewControls-CA7ddS8g.js","app/Slider-CxQrYtaB.js","app/Slider-w7j-WkeU.css","app/pages.svelte-CosH7fAJ.js","app/ViewControls-BYRIfHmn.css","app/Gallery-Ccnm2kPX.css","app/Login-D4aohNoo.js","app/failure-CFr0_TUq.js","app/Gate-DHDcKBGK.js","app/Gate-BZbTBwxa.css","app/Setup-_m6SIUlY.js","app/Search-CWsTyx8u.js","app/Search-_GfEbZ_i.css","app/Viewer-C37VR7CT.js","app/documents-CD5WcLqP.js","app/Viewer-BJP-WIHZ.css","app/Editor-BX-TS3cE.js","app/layers-CPoGdXa4.js","app/names-Tp3xXVGm.js","app/server-DwX6fdw2.js","app/documents-D-_-8G2r.js","app/Editor-DDEfmq4Z.css","app/Templates-D0rlWxip.js","app/library-D5eMGpU6.js","app/Templates-Cq4nIgp2.css","app/Trash-BqST6nqK.js","app/Trash-DoIvAubA.css","app/Me-C74d8QKo.js","app/Me-E6x1Qd0q.css","app/Palette-BeZ7CxMC.js","app/Palette-D-Rp-0HB.css","app/Shortcuts-ycbfQdvJ.js","app/Shortcuts-Bj_SiK8T.css"])))=>i.map(i=>d[i]);
import{$ as e,A as t,C as n,Ct as r,Dt as i,Et as a,F as o,G as s,H as c,I as l,J as u,K as d,M as f,Ot as p,R as m,U as h,V as g,W as _,Y as v,_ as y,at as b,dt as x,ft as S,g as C,gt as w,h as T,ht as E,j as ee,k as D,l as O,lt as te,mt as k,n as ne,o as A,ot as j,pt as M,q as N,s as re,t as ie,ut as P,v as ae,vt as F,w as I,wt as L,y as oe}from"./svelte-BHrW82HM.js";var se=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),ce=function(e){return`/`+e},le={},ue=function(e){return e.pathname.endsWith(`.css`)},de=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},R=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=ce(t,n);let r=s(t),i=ue(r);return de(le,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:se,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},fe={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},pe=`safelight.language`,me=Object.assign({"./de.json":()=>R(()=>import(`./de-B3Q9DB1R.js`).then(e=>e.default),[]),"./en.json":()=>R(()=>import(`./en-B-6SFlCL.js`).then(e=>e.default),[]),"./es.json":()=>R(()=>import(`./es-CSxXcpsY.js`).then(e=>e.default),[]),"./fr.json":()=>R(()=>import(`./fr-CKOe0rdO.js`).then(e=>e.default),[]),"./ja.json":()=>R(()=>import(`./ja-B-MbXzHP.js`).then(e=>e.default),[]),"./pt-BR.json":()=>R(()=>import(`./pt-BR-Dmsjzg-4.js`).then(e=>e.default),[]),"./zh.json":()=>R(()=>import(`./zh-DHelcD7t.js`).then(e=>e.default),[])}),z=new class{#e=w({});#t=w(`en`);#n=new Intl.PluralRules(`en`);get current(){return e(this.#t)}async use(e,t=!1){E(this.#e,await me[`./${e}.json`]()),E(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(pe,e)}text(t,n){let r=e(this.#e)[t];return r===void 0?t:he(typeof r==`string`?r:r[this.#n.select(Number(n.n))]??r.other??t,n,e(this.#t))}};function B(e,t={}){return z.text(e,t)}function he(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function ge(e=localStorage.getItem(pe),t=navigator.languages){if(e&&e in fe)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(fe).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var V=new class{#e=w(k(location.pathname));get path(){return e(this.#e)}set path(e){E(this.#e,e,!0)}#t=w(k(location.hash));get hash(){return e(this.#t)}set hash(e){E(this.#t,e,!0)}query=new ie(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},_e=location.href,H=new Set;function ve(e){return H.add(e),()=>H.delete(e)}function U(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[...H].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),_e=location.href,V.read())}function ye(e){history.state?.inside?history.back():U(e,{replace:!0})}function be(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),_e=location.href,V.read()}function xe(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&U(n.pathname+n.search+n.hash))},n=()=>{let e=location.href;if(location.pathname!==V.path&&[...H].some(e=>!e()))return history.pushState({inside:!0},``,_e);_e=e,V.read()};return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var W=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function Se(e){let[t]=e;if(t)throw new W(t.code,t.message,t.field)}async function G(e,t,n={}){let r=await Ce(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new W(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function K(e,t,n={}){return await Ce(e,JSON.stringify(t),{...n,token:n.token??``})}async function Ce(e,t,n){let r=n.token??J.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new W(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(e=>{if(n.signal?.aborted)throw e;return{}});if(a.ok)return o;throw we(a,o,r)}function we(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&J.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new W(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function Te(){return await Ce(`/api/auth/options`,void 0,{token:``})}var Ee=.6;function De(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*Ee,e.expiresAt-6e4)}var q=`safelight.session`,Oe=2**31-1,ke=class{#e=w(Ae());#t;get token(){return e(this.#e)?.token??``}get user(){return e(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}start(){addEventListener(`storage`,e=>{(e.key===q||e.key===null)&&this.#i(Ae())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await K(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await K(`/api/auth/guest`,{}))}async register(e){this.#n(await K(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await K(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(q),this.#i(null)}refused(e){let t=Ae();t&&t.token!==e?this.#i(t):this.forget()}rename(t){let n=e(this.#e);n&&this.#r({...n,user:{...n.user,displayName:t}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(q,JSON.stringify(e)),this.#i(e)}#i(e){E(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let t=e(this.#e);if(!t)return;let n=Math.max(0,De(t)-Date.now());this.#t=setTimeout(()=>n>Oe?this.#a():void this.#o(),Math.min(n,Oe))}async#o(){let e=async()=>{let e=Ae();if(!e||De(e)>Date.now())return this.#i(e);try{this.#n(await K(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof W&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(q,e):await e()}};function Ae(){try{let e=JSON.parse(localStorage.getItem(q)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var J=new ke,je=`M20 6 9 17l-5-5`,Me=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Ne=`M18 6 6 18M6 6l12 12`,Pe=_(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function Y(e,t){let n=A(t,`size`,3,18),r=A(t,`fill`,3,!1);var i=Pe();let a;var o=S(i);b(()=>{y(i,`width`,n()),y(i,`height`,n()),a=I(i,0,`svelte-123hemx`,null,a,{fill:r()}),y(o,`d`,t.path)}),g(e,i)}var Fe={done:6e3,note:8e3,error:1e4},X=new class{#e=w(k([]));get list(){return e(this.#e)}set list(e){E(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Fe[t]))}},Ie=h(`<button class="act svelte-d8zspq"> </button>`),Le=h(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Re=h(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function ze(t,n){L(n,!0);async function a(e){X.close(e.id),await e.action?.run()}var s=Re();f(s,21,()=>X.list,e=>e.id,(t,n)=>{var r=Le(),s=P(r);{let t=F(()=>e(n).kind===`done`?je:Me);Y(s,{get path(){return e(t)}})}var c=M(s,2),l=S(c,!0),d=M(c,2),f=t=>{var r=Ie(),i=S(r,!0);b(()=>m(i,e(n).action.label)),u(`click`,r,()=>a(e(n))),g(t,r)};o(d,t=>{e(n).action&&t(f)});var p=M(d,2);Y(P(p),{get path(){return Ne},size:16}),i(p),i(r),b(t=>{I(r,1,`toast ${e(n).kind??``}`,`svelte-d8zspq`),m(l,e(n).text),y(p,`aria-label`,t)},[()=>B(`ui.close`)]),u(`click`,p,()=>X.close(e(n).id)),g(t,r)}),i(s),v(`pointerenter`,s,()=>X.hold()),v(`pointerleave`,s,()=>X.release()),u(`focusin`,s,()=>X.hold()),u(`focusout`,s,()=>X.release()),g(t,s),r()}N([`focusin`,`focusout`,`click`]);function Be(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(He).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=He(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Ve(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function He(e){try{return decodeURIComponent(e)}catch{return e}}var Ue=`M9 18l6-6-6-6`,We=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,Ge=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`,Z=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new Z(`
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}
    `,{fragmentName:`Account`}),new Z(`
    fragment Tier on CacheTier {
  entries
  bytes
  maxBytes
  hits
  evicted
  damaged
  failed
  paused
}
    `,{fragmentName:`Tier`}),new Z(`
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}
    `,{fragmentName:`Tile`}),new Z(`
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}
    `,{fragmentName:`Trashed`}),new Z(`
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}
    `,{fragmentName:`Viewed`}),new Z(`
    query Accounts($offset: Int, $search: String) {
  users(offset: $offset, limit: 50, search: $search) {
    items {
      ...Account
    }
    totalCount
  }
}
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}`),new Z(`
    mutation MakeAccount($input: CreateUserInput!) {
  createUser(input: $input) {
    id
  }
}
    `),new Z(`
    mutation ChangeAccount($input: UpdateProfileInput!, $userId: ID!) {
  updateProfile(input: $input, userId: $userId) {
    ...Account
  }
}
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}`),new Z(`
    mutation ResetPassword($input: ChangePasswordInput!, $userId: ID!) {
  changePassword(input: $input, userId: $userId)
}
    `),new Z(`
    mutation DeactivateAccount($userId: ID!) {
  deactivateAccount(userId: $userId)
}
    `),new Z(`
    mutation ReactivateAccount($userId: ID!) {
  reactivateAccount(userId: $userId)
}
    `),new Z(`
    mutation DeleteAccount($userId: ID!) {
  deleteUser(userId: $userId)
}
    `),new Z(`
    mutation EndSessions($userId: ID!) {
  logoutEverywhere(userId: $userId)
}
    `),new Z(`
    query Tokens {
  apiTokens {
    id
    name
    prefix
    scopes
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `),new Z(`
    mutation MakeToken($input: CreateApiTokenInput!) {
  createApiToken(input: $input) {
    secret
  }
}
    `),new Z(`
    mutation RevokeToken($id: ID!) {
  revokeApiToken(id: $id)
}
    `),new Z(`
    query Events($first: Int!, $after: String, $filter: AuditEventFilter) {
  auditEvents(first: $first, after: $after, filter: $filter) {
    nodes {
      id
      at
      actorName
      action
      target
      before
      after
      address
      requestId
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query Signing {
  processorStatus {
    configured
    lastUpdated
    isOverriddenByConfig
    config {
      hasSecret
      signerType
      signerTruncate
      previousUntil
    }
  }
}
    `),new Z(`
    mutation ConfigureSigning($input: ProcessorInput!) {
  configureProcessor(input: $input) {
    message
  }
}
    `),new Z(`
    query TryUrl($url: String!) {
  parseProcessorUrl(url: $url) {
    path
    image
    unsafe
    hash
    validSignature
    explain
    warnings
  }
}
    `),new Z(`
    query Storage {
  storageStatus {
    type
    place
    reachable
    isOverriddenByConfig
    lastUpdated
    restartRequired
  }
}
    `),new Z(`
    mutation TestStorage($input: StorageConfigInput!) {
  testStorageConfig(input: $input) {
    success
    message
    details
  }
}
    `),new Z(`
    mutation UseFolder($input: FileStorageInput!) {
  configureFileStorage(input: $input) {
    message
  }
}
    `),new Z(`
    mutation UseBucket($input: S3StorageInput!) {
  configureS3Storage(input: $input) {
    message
  }
}
    `),new Z(`
    query Cache {
  cacheStatus {
    enabled
    misses
    stored
    dropped
    waiting
    memory {
      ...Tier
    }
    files {
      ...Tier
    }
    s3 {
      ...Tier
    }
  }
}
    fragment Tier on CacheTier {
  entries
  bytes
  maxBytes
  hits
  evicted
  damaged
  failed
  paused
}`),new Z(`
    mutation Purge($input: PurgeCacheInput!) {
  purgeCache(input: $input) {
    purged {
      memory
      files
      s3
      bytes
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query Index {
  indexStatus {
    pendingFiles
    scan {
      path
      state
      folders
      entries
      startedAt
      finishedAt
    }
  }
}
    `),new Z(`
    mutation Rescan($input: RescanInput!) {
  rescan(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query EditedFile($path: String!) {
  file(path: $path) {
    id
    path
    name
    type
    width
    height
    size
    thumb: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  }
}
    `),new Z(`
    mutation SignUrl($image: String!, $params: ProcessorParamsInput!) {
  generateProcessorUrl(imagePath: $image, params: $params)
}
    `),new Z(`
    mutation SaveTemplate($input: SaveTemplateInput!) {
  saveTemplate(input: $input) {
    templatePath
    warnings
  }
}
    `),new Z(`
    query PickImages($search: String, $after: String) {
  files(
    recursive: true
    search: $search
    sort: MODIFIED
    order: DESC
    first: 48
    after: $after
  ) {
    nodes {
      id
      path
      name
      type
      width
      thumb: url(operations: {height: 160, filters: [{name: "format", args: "webp"}]})
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query Files($folder: String!, $recursive: Boolean!, $filter: FileFilter, $search: String, $sort: FileSort!, $order: SortOrder!, $first: Int!, $after: String, $count: Boolean!) {
  files(
    folder: $folder
    recursive: $recursive
    filter: $filter
    search: $search
    sort: $sort
    order: $order
    first: $first
    after: $after
  ) {
    totalCount @include(if: $count)
    nodes {
      ...Tile
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}`),new Z(`
    query LookAtFolder($folder: String!) {
  files(folder: $folder, first: 1) {
    totalCount
  }
}
    `),new Z(`
    query Folders($folder: String!, $after: String) {
  folders(folder: $folder, first: 100, after: $after) {
    nodes {
      id
      path
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query FolderFace($folder: String!, $size: Int!) {
  files(folder: $folder, recursive: true, sort: MODIFIED, order: DESC, first: 4) {
    totalCount
    nodes {
      id
      thumb: url(
        operations: {width: $size, height: $size, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new Z(`
    query Tags {
  tags {
    name
    count
  }
}
    `),new Z(`
    mutation TagFiles($input: TagFilesInput!) {
  tagFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation TrashFiles($input: TrashFilesInput!) {
  trashFiles(input: $input) {
    results {
      path
      ok
      trashed {
        id
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation RestoreFiles($input: RestoreFilesInput!) {
  restoreFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation MoveFiles($input: MoveFilesInput!) {
  moveFiles(input: $input) {
    results {
      path
      ok
      file {
        path
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CopyFiles($input: CopyFilesInput!) {
  copyFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateFolder($path: String!) {
  createFolder(path: $path)
}
    `),new Z(`
    subscription FolderChanges {
  folderChanges(folder: "", recursive: true) {
    kind
    path
    file {
      id
    }
  }
}
    `),new Z(`
    subscription IndexChanges {
  indexStatus {
    pendingFiles
    scan {
      path
      state
      entries
      folders
      startedAt
      finishedAt
    }
  }
}
    `),new Z(`
    query PaletteSearch($search: String!) {
  folders(recursive: true, search: $search, first: 6) {
    nodes {
      id
      path
      name
    }
  }
  files(recursive: true, search: $search, first: 8) {
    nodes {
      id
      path
      name
      type
      thumb: url(
        operations: {width: 64, height: 64, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new Z(`
    mutation LogoutEverywhere($userId: ID, $apiTokens: Boolean) {
  logoutEverywhere(userId: $userId, apiTokens: $apiTokens)
}
    `),new Z(`
    mutation RenameMe($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    id
    displayName
  }
}
    `),new Z(`
    mutation ChangeMyPassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `),new Z(`
    query TemplateFiles($after: String) {
  files(
    recursive: true
    search: "template json"
    sort: NAME
    first: 100
    after: $after
  ) {
    nodes {
      id
      path
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query OneTemplate($path: String!) {
  template(path: $path) {
    path
    name
    modifiedTime
    previewUrl
    envelope
    problem
    description
    dimensions {
      width
      height
    }
    sourceImagePath
    warnings
  }
}
    `),new Z(`
    mutation ApplyTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(templateJson: $json, imagePath: $image)
}
    `),new Z(`
    mutation PreviewTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(
    templateJson: $json
    imagePath: $image
    forPreview: true
    previewMaxDimensions: {width: 480, height: 320}
  )
}
    `),new Z(`
    mutation RenameTemplate($input: RenameTemplateInput!) {
  renameTemplate(input: $input) {
    template {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation DeleteTemplate($input: DeleteTemplateInput!) {
  deleteTemplate(input: $input) {
    deletedPath
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query TrashPage($after: String, $count: Boolean!) {
  trashedFiles(first: 100, after: $after) {
    totalCount @include(if: $count)
    nodes {
      ...Trashed
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}`),new Z(`
    mutation PurgeFiles($input: PurgeFilesInput!) {
  purgeFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation EmptyTrash {
  emptyTrash {
    purgedCount
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    upload {
      id
      url
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation FinishUpload($input: FinishUploadInput!) {
  finishUpload(input: $input) {
    file {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CancelUpload($input: CancelUploadInput!) {
  cancelUpload(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query ViewedFile($path: String!) {
  file(path: $path) {
    ...Viewed
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    mutation SaveFile($input: UpdateFileInput!) {
  updateFile(input: $input) {
    file {
      ...Viewed
    }
    userErrors {
      code
      message
      field
    }
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    query FileForUse($path: String!, $width: Int!, $widths: [Int!]!) {
  file(path: $path) {
    id
    url(operations: {width: $width})
    jpeg: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "jpeg"}]}
    )
    webp: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "webp"}]}
    )
    avif: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "avif"}]}
    )
  }
}
    `);var Ke=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt type metadata width height pages dominantColor thumbHash tags focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,qe=`query LookAtFolder($folder:String!){files(folder:$folder first:1){totalCount}}`,Je=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,Ye=`query FolderFace($folder:String!$size:Int!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:$size height:$size smart:true filters:[{name:"format" args:"webp"}]})}}}`,Xe=`query Tags{tags{name count}}`,Ze=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Qe=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,$e=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,et=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,tt=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,nt=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,Q=new class{#e=new ne;#t=new Map;#n=new ne;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#r(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}version(e){return this.#n.get(e)??0}follow(e){let t=new Set,n=new Set;for(let{kind:r,path:i,isFile:a}of e){if(r===`RELOAD`)for(let e of this.#e.keys())t.add(e);let e=rt(i),o=this.#e.get(e)?.some(e=>e.path===i)??!1;!a&&o===(r===`REMOVED`)&&t.add(e);for(let t of[``,...ot(e)])n.add(t)}for(let e of n)this.#n.set(e,this.version(e)+1);for(let e of t)this.#e.has(e)&&this.reload(e).catch(()=>void 0)}clear(){this.#e.clear()}async#r(e){let t=[];for(let n=null;;){let{folders:r}=await G(Je,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},rt=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),it=e=>e.slice(e.lastIndexOf(`/`)+1),at=(e,t)=>e?`${e}/${t}`:t,ot=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],st=`safelight.gallery`,$=new class{#e=w(`justified`);get view(){return e(this.#e)}set view(e){E(this.#e,e,!0)}#t=w(200);get size(){return e(this.#t)}set size(e){E(this.#t,e,!0)}#n=w(k([]));get open(){return e(this.#n)}set open(e){E(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(st)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(st,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},ct=h(`<ul role="group" class="svelte-ccbhws"></ul>`),lt=h(`<li role="none"><div role="treeitem"><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function ut(t,a){L(a,!0);let s=F(()=>$.open.includes(a.folder.path)),c=F(()=>Q.children(a.folder.path)),l=F(()=>a.at===a.folder.path);j(()=>{Q.load(a.folder.path).catch(()=>void 0)});function d(){$.open=e(s)?$.open.filter(e=>e!==a.folder.path&&!e.startsWith(`${a.folder.path}/`)):[...$.open,a.folder.path],$.keep()}var p=lt(),h=P(p);let _,x;var C=P(h);let w;Y(P(C),{get path(){return Ue},size:12}),i(C);var T=M(C,2);{let t=F(()=>e(s)&&e(c)?.length?Ge:We);Y(T,{get path(){return e(t)}})}var E=M(T,2),ee=S(E,!0);i(h);var D=M(h,2),O=t=>{var n=ct();f(n,21,()=>e(c),e=>e.path,(t,n)=>{{let r=F(()=>a.depth+1);ut(t,{get folder(){return e(n)},get depth(){return e(r)},get at(){return a.at},get go(){return a.go},entry:!1})}}),i(n),g(t,n)};o(D,t=>{e(s)&&e(c)?.length&&t(O)}),i(p),b(()=>{y(h,`aria-level`,a.depth+1),y(h,`tabindex`,e(l)||a.entry?0:-1),y(h,`aria-selected`,e(l)),y(h,`aria-expanded`,e(c)?.length?e(s):void 0),y(h,`data-path`,a.folder.path),_=I(h,1,`row svelte-ccbhws`,null,_,{on:e(l)}),x=n(h,``,x,{"padding-left":`${a.depth*16+4}px`}),w=I(C,1,`twist svelte-ccbhws`,null,w,{open:e(s),none:!e(c)?.length}),y(E,`title`,a.folder.name),m(ee,a.folder.name)}),v(`toggle`,h,d),u(`click`,h,()=>a.go(a.folder.path)),u(`click`,C,e=>{e.stopPropagation(),d()}),g(t,p),r()}N([`click`]);var dt=h(`<h3 class="svelte-1adg88"> </h3>`),ft=h(`<li role="treeitem" data-path=""> </li>`),pt=h(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function mt(t,n){L(n,!0);let a=A(n,`label`,19,()=>B(`nav.folders`)),s=F(()=>n.chosen??(V.path.startsWith(`/f/`)?decodeURIComponent(V.path.slice(3)):``)),l=F(()=>Q.children(``)),d=e=>n.onchoose?n.onchoose(e):U(`/f/${Ve(e)}`);j(()=>{Q.load(``).catch(()=>void 0);for(let t of ot(e(s)).slice(0,-1))$.open.includes(t)||($.open=[...$.open,t])});function p(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),a;if(e.key===`ArrowDown`)a=t[r+1];else if(e.key===`ArrowUp`)a=t[r-1];else if(e.key===`Home`)a=t[0];else if(e.key===`End`)a=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t.slice(0,r).findLast(e=>Number(e.ariaLevel)<Number(n.ariaLevel));else if((e.key===`Enter`||e.key===` `)&&n)d(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),a?.focus()}var h=c(),_=x(h),v=t=>{var r=pt(),c=x(r),h=e=>{var t=dt(),n=S(t,!0);b(()=>m(n,a())),g(e,t)};o(c,e=>{n.onchoose||e(h)});var _=M(c,2),v=P(_),C=t=>{var n=ft();let r;var i=S(n,!0);b(t=>{y(n,`tabindex`,e(s)===``?0:-1),y(n,`aria-selected`,e(s)===``),r=I(n,1,`root svelte-1adg88`,null,r,{on:e(s)===``}),m(i,t)},[()=>B(`nav.library`)]),u(`click`,n,()=>d(``)),u(`keydown`,n,()=>void 0),g(t,n)};o(v,e=>{n.onchoose&&e(C)});var w=M(v,2);f(w,19,()=>e(l)??[],e=>e.path,(t,r,i)=>{{let a=F(()=>!n.onchoose&&e(i)===0&&!e(l)?.some(t=>e(s)===t.path||e(s).startsWith(`${t.path}/`)));ut(t,{get folder(){return e(r)},depth:0,get at(){return e(s)},go:d,get entry(){return e(a)}})}}),i(_),b(()=>y(_,`aria-label`,a())),u(`keydown`,_,p),g(t,r)};o(_,t=>{(e(l)?.length||n.onchoose)&&t(v)}),g(t,h),r()}N([`keydown`,`click`]);function ht(e){let t=e.replaceAll(`\r
`,`
`).split(`

`),n=t.pop()??``;return{events:t.map(e=>{let t=e.split(`
`),n=e=>t.filter(t=>t.startsWith(`${e}:`)).map(t=>t.slice(e.length+1).replace(/^ /,``));return{name:n(`event`).at(-1)??``,data:n(`data`).join(`
`)}}).filter(e=>e.name),rest:n}}async function*gt(e,t,n){let r=J.token,i={Accept:`text/event-stream`,"Content-Type":`application/json`,Authorization:`Bearer ${r}`},a=await fetch(`/api/graphql`,{method:`POST`,headers:i,body:JSON.stringify({query:String(e),variables:t}),signal:n,credentials:`omit`,cache:`no-store`});if(!a.ok||!a.body)throw we(a,await a.json().catch(()=>({})),r);let o=a.body.pipeThrough(new TextDecoderStream).getReader();for(let e=``;;){let{done:t,value:n}=await o.read();if(t)return;let{events:r,rest:i}=ht(e+n);e=i;for(let{name:e,data:t}of r){if(e===`complete`)return;let n=JSON.parse(t),[r]=n.errors??[];if(r)throw new W(r.extensions?.code??`INTERNAL`,r.message);n.data&&(yield n.data)}}}var _t=`subscription FolderChanges{folderChanges(folder:"" recursive:true){kind path file{id}}}`,vt=`subscription IndexChanges{indexStatus{pendingFiles scan{path state entries folders startedAt finishedAt}}}`,yt=300,[bt,xt]=[1e3,3e4],St=e=>Math.min(xt,bt*2**e),Ct=class{name;open;#e=new Set;#t=null;constructor(e,t){this.name=e,this.open=t}listen(e){return this.#e.add(e),this.#t??=this.#n(),()=>{this.#e.delete(e),this.#e.size||(this.#t?.abort(),this.#t=null)}}#n(){let e=new AbortController,{signal:t}=e,n=new BroadcastChannel(`safelight.${this.name}`);n.onmessage=e=>this.#r(e.data),t.addEventListener(`abort`,()=>n.close());let r=e=>{this.#r(e),n.postMessage(e)};return navigator.locks?navigator.locks.request(`safelight.${this.name}`,{signal:t},()=>this.#a(t,r)).catch(()=>void 0):this.#i(t),e}#r(e){for(let t of this.#e)t(e)}#i(e){let t=null,n=()=>{document.hidden||e.aborted?(t?.abort(),t=null):t||(t=new AbortController,this.#a(t.signal,e=>this.#r(e)))};document.addEventListener(`visibilitychange`,n,{signal:e}),e.addEventListener(`abort`,n),n()}async#a(e,t){for(let n=0;!e.aborted;n++){try{await this.#o(e,t,()=>n=0)}catch{}await wt(St(n),e)}}async#o(e,t,n){let r=[],i,a=()=>{i=void 0;let n=r;r=[],n.length&&!e.aborted&&t(n)};try{for await(let t of this.open(e))n(),r.push(t),i??=setTimeout(a,yt)}finally{clearTimeout(i),a()}}};function wt(e,t){return new Promise(n=>{if(t.aborted)return n();let r=setTimeout(n,e);t.addEventListener(`abort`,()=>(clearTimeout(r),n()),{once:!0})})}var Tt=new Ct(`changes`,async function*(e){for await(let{folderChanges:t}of gt(_t,{},e))t&&(yield{kind:t.kind,path:t.path,isFile:t.file!==null})}),Et=new Ct(`index`,async function*(e){for await(let{indexStatus:t}of gt(vt,{},e))t&&(yield t)});function Dt(e,t,n,r){let i={removed:new Set,touched:new Set,reload:!1};for(let{kind:a,path:o,isFile:s}of r)a===`RELOAD`?i.reload=!0:(t?!e||o.startsWith(`${e}/`):o.slice(0,Math.max(0,o.lastIndexOf(`/`)))===e)&&(a===`REMOVED`?(i.touched.delete(o),n(o)?i.removed.add(o):i.reload||=t):s&&(i.removed.delete(o)||!n(o)?i.reload=!0:i.touched.add(o)));return i}var Ot=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,kt=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,At=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,jt=3,Mt=8<<20,Nt=[500,1e3,3e3,5e3,1e4,2e4],Pt=class{id;file;path;#e=w(`waiting`);get state(){return e(this.#e)}set state(e){E(this.#e,e,!0)}#t=w(0);get sent(){return e(this.#t)}set sent(e){E(this.#t,e,!0)}#n=w(``);get reason(){return e(this.#n)}set reason(e){E(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await G(kt,{input:{id:this.#i}});Se(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof W&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await G(Ot,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});Se(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await R(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:Mt,retryDelays:Nt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&G(At,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},Ft=new class{#e=w([]);get list(){return e(this.#e)}set list(e){E(this.#e,e)}#t=new ne;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new Pt(this.#n++,t,at(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=jt-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=rt(e);this.#i.add(t),t;t=rt(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),Q.reload(e).catch(()=>void 0);this.#i.clear()},600)}},It=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,Lt=`M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`,Rt=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,zt=`M4 3h16a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-16a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM4 14h7a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-7a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM17 14h3a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1z`,Bt=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,Vt=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,Ht=[{href:`/`,label:`nav.library`,icon:Rt,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/search`,label:`nav.search`,icon:Bt,place:`top`,tab:!0},{href:`/templates`,label:`nav.templates`,icon:zt,place:`top`,role:`edit`,tab:!0},{href:`/trash`,label:`nav.trash`,icon:Vt,place:`bottom`,role:`edit`,tab:!0},{href:`/admin`,label:`nav.admin`,icon:Lt,place:`bottom`,role:`admin`},{href:`/me`,label:`nav.account`,icon:It,place:`bottom`,tab:!0}],Ut=h(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),Wt=h(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function Gt(n,a){L(a,!0);let s=(t,n=p)=>{var r=c(),a=x(r);f(a,17,()=>e(u).filter(e=>e.place===n()),e=>e.href,(t,n)=>{let r=F(()=>h(e(n))&&(e(n).href!==`/`||V.path===`/`));var a=Ut();let o;var s=P(a);Y(s,{get path(){return e(n).icon}});var c=M(s),l=S(c,!0);i(a),b(t=>{y(a,`href`,e(n).href),y(a,`aria-current`,e(r)?`page`:void 0),o=I(a,1,`svelte-1ic85nn`,null,o,{on:e(r)}),m(l,t)},[()=>_(e(n))]),g(t,a)}),g(t,r)};j(()=>Tt.listen(e=>Q.follow(e)));let u=F(()=>Ht.filter(e=>!e.role||(e.role===`admin`?J.mayAdminister:J.mayEdit))),d=F(()=>e(u).filter(e=>e.tab).slice(0,5)),h=e=>e.lit?e.lit(V.path):V.path===e.href||V.path.startsWith(`${e.href}/`),_=e=>e.href===`/me`?J.user?.displayName??B(e.label):B(e.label);var v=Wt(),C=x(v),w=P(C),T=S(w,!0),E=M(w,2),D=M(P(E),2);s(P(D),()=>`top`),i(D);var O=M(D,2);mt(P(O),{}),i(O);var te=M(O,2);s(P(te),()=>`bottom`),i(te),i(E);var k=M(E,2),ne=P(k);ee(ne,()=>a.children),i(k);var A=M(k,2);f(A,21,()=>e(d),e=>e.href,(t,n)=>{var r=Ut();let a;var o=P(r);Y(o,{get path(){return e(n).icon},size:22});var s=M(o),c=S(s,!0);i(r),b((t,i,o)=>{y(r,`href`,e(n).href),y(r,`aria-current`,t),a=I(r,1,`svelte-1ic85nn`,null,a,{on:i}),m(c,o)},[()=>h(e(n))?`page`:void 0,()=>h(e(n)),()=>_(e(n))]),g(t,r)}),i(A),i(C);var N=M(C,2),re=n=>{var r=c(),i=x(r);l(i,()=>R(()=>import(`./Tray-OTD67gWV.js`),__vite__mapDeps([0,1,2,3])),null,(n,r)=>{var i=F(()=>{var{default:t}=e(r);return{Tray:t}}),a=F(()=>e(i).Tray),o=c(),s=x(o);t(s,()=>e(a),(e,t)=>{t(e,{})}),g(n,o)}),g(n,r)};o(N,e=>{Ft.list.length&&e(re)}),b((e,t,n,r,i)=>{m(T,e),y(D,`aria-label`,t),y(O,`aria-label`,n),y(te,`aria-label`,r),y(A,`aria-label`,i)},[()=>B(`app.skip`),()=>B(`nav.main`),()=>B(`nav.folders`),()=>B(`nav.more`),()=>B(`nav.main`)]),g(n,v),r()}var Kt=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),qt=h(`<span class="spin svelte-1j8p21y"></span>`),Jt=h(`<!><!>`,1);function Yt(e,t){L(t,!0);let n=A(t,`kind`,3,`plain`),i=A(t,`busy`,3,!1),a=A(t,`type`,3,`button`),s=A(t,`element`,15,null),l=re(t,Kt);var u=c(),d=x(u);D(d,()=>t.href===void 0?`button`:`a`,!1,(e,r)=>{O(e,e=>s(e),()=>s()),T(e,()=>({href:t.href,type:t.href===void 0?a():void 0,class:[`btn`,n(),{square:!t.children,on:t.on}],"aria-label":t.label,"aria-pressed":t.on===void 0?void 0:t.on,"aria-busy":i()||void 0,title:t.children?void 0:t.label,disabled:t.href===void 0?t.disabled||i():void 0,...l}),void 0,void 0,void 0,`svelte-1j8p21y`);var c=Jt(),u=x(c),d=e=>{var t=qt();g(e,t)},f=e=>{Y(e,{get path(){return t.icon}})};o(u,e=>{i()?e(d):t.icon&&e(f,1)});var m=M(u);ee(m,()=>t.children??p),g(r,c)}),g(e,u),r()}var Xt=h(`<p class="meta svelte-1mkf5dt"> </p>`),Zt=h(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Qt(e,t){L(t,!0);var n=Zt(),s=P(n),c=S(s,!0),l=M(s,2),u=e=>{var n=Xt(),r=S(n,!0);b(()=>m(r,t.text)),g(e,n)};o(l,e=>{t.text&&e(u)});var f=M(l,2),p=e=>{Yt(e,{get href(){return t.action.href},get onclick(){return t.action.run},children:(e,n)=>{a();var r=d();b(()=>m(r,t.action.label)),g(e,r)},$$slots:{default:!0}})};o(f,e=>{t.action&&e(p)}),i(n),b(()=>m(c,t.title)),g(e,n),r()}var $t=()=>R(()=>import(`./Admin-Bsx3LyJY.js`),__vite__mapDeps([4,1,2,5,6,7,8,9,10,11,12,13,14,15])),en=()=>R(()=>import(`./Gallery-B26O4KHj.js`),__vite__mapDeps([16,1,17,2,5,11,7,12,18,19,20,21,6,8,9,10,22])),tn=[{pattern:`/login`,page:()=>R(()=>import(`./Login-D4aohNoo.js`),__vite__mapDeps([23,1,9,10,24,25,26])),bare:!0,open:!0},{pattern:`/setup`,page:()=>R(()=>import(`./Setup-_m6SIUlY.js`),__vite__mapDeps([27,1,9,10,24,25,26])),bare:!0,open:!0},{pattern:`/`,page:en,group:`gallery`},{pattern:`/f/*folder`,page:en,group:`gallery`},{pattern:`/search`,page:()=>R(()=>import(`./Search-CWsTyx8u.js`),__vite__mapDeps([28,1,17,2,5,11,7,12,18,19,20,21,29]))},{pattern:`/i/*file`,page:()=>R(()=>import(`./Viewer-C37VR7CT.js`),__vite__mapDeps([30,1,2,5,31,20,32])),bare:!0,group:`viewer`},{pattern:`/edit/*file`,page:()=>R(()=>import(`./Editor-BX-TS3cE.js`),__vite__mapDeps([33,1,2,11,7,12,34,18,19,35,36,37,38])),bare:!0,role:`edit`,group:`editor`},{pattern:`/templates`,page:()=>R(()=>import(`./Templates-D0rlWxip.js`),__vite__mapDeps([39,1,2,34,5,6,7,8,9,10,11,12,40,41])),role:`edit`},{pattern:`/trash`,page:()=>R(()=>import(`./Trash-BqST6nqK.js`),__vite__mapDeps([42,1,2,5,6,7,8,43])),role:`edit`},{pattern:`/admin`,page:$t,role:`admin`,group:`admin`},{pattern:`/admin/:section`,page:$t,role:`admin`,group:`admin`},{pattern:`/me`,page:()=>R(()=>import(`./Me-C74d8QKo.js`),__vite__mapDeps([44,1,9,10,24,45]))}];function nn(e){for(let t of tn){let n=Be(t.pattern,e);if(n)return{route:t,params:n}}return null}var rn=h(`<!> <!> <!>`,1);function an(n,i){L(i,!0);let a=n=>{var r=c(),i=x(r),a=t=>{{let n=F(()=>B(`app.notFound`)),r=F(()=>B(`app.notFoundText`)),i=F(()=>({label:B(`app.toLibrary`),href:`/`}));Qt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},l=t=>{{let n=F(()=>B(`app.notAllowed`)),r=F(()=>B(`app.notAllowedText`)),i=F(()=>({label:B(`app.toLibrary`),href:`/`}));Qt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},u=t=>{{let n=F(()=>B(`app.failed`)),r=F(()=>B(`app.failedText`)),i=F(()=>({label:B(`app.reload`),run:()=>location.reload()}));Qt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},h=n=>{let r=F(()=>e(f).page);var i=c(),a=x(i);t(a,()=>e(r),(t,n)=>{n(t,{get params(){return e(s).params}})}),g(n,i)};o(i,t=>{e(s)?e(d)?e(p)?t(u,2):e(f)?.key===e(m)&&t(h,3):t(l,1):t(a)}),g(n,r)},s=F(()=>nn(V.path)),u=F(()=>!e(s)||e(s).route.open||J.user!==null),d=F(()=>!e(s)?.route.role||(e(s).route.role===`admin`?J.mayAdminister:J.mayEdit));j(()=>{if(e(u))return;let t=location.pathname+location.search;U(t===`/`?`/login`:`/login?next=${encodeURIComponent(t)}`,{replace:!0})});let f=w(null),p=w(!1),m=F(()=>e(s)?e(s).route.group??e(s).route.pattern:``);j(()=>{let t=e(s)?.route;if(!t||!e(u)||e(f)?.key===e(m))return;let n=e(m);E(p,!1),t.page().then(t=>n===e(m)&&E(f,{page:t.default,key:n}),()=>n===e(m)&&E(p,!0))});let h=w(null);function _(e){!J.user||e.defaultPrevented||e.altKey||((e.ctrlKey||e.metaKey)&&!e.shiftKey&&e.key.toLowerCase()===`k`?(e.preventDefault(),E(h,`palette`)):e.key!==`?`||e.ctrlKey||e.metaKey||e.target.closest?.(`input, textarea, select, [role=dialog], dialog`)||(e.preventDefault(),E(h,`shortcuts`)))}var y=rn();v(`keydown`,te,_);var b=x(y),S=t=>{var n=c(),r=x(n),i=e=>{a(e)},l=e=>{Gt(e,{children:(e,t)=>{a(e)},$$slots:{default:!0}})},u=e=>{a(e)};o(r,t=>{e(s)?.route.bare?t(i):J.user?t(l,1):t(u,-1)}),g(t,n)};o(b,t=>{e(u)&&t(S)});var C=M(b,2),T=n=>{var r=c(),i=x(r);l(i,()=>R(()=>import(`./Palette-BeZ7CxMC.js`),__vite__mapDeps([46,1,47])),null,(n,r)=>{var i=F(()=>{var{default:t}=e(r);return{Palette:t}}),a=F(()=>e(i).Palette),o=c(),s=x(o);t(s,()=>e(a),(t,n)=>{n(t,{onclose:()=>e(h)===`palette`&&E(h,null),onshortcuts:()=>E(h,`shortcuts`)})}),g(n,o)}),g(n,r)},ee=n=>{var r=c(),i=x(r);l(i,()=>R(()=>import(`./Shortcuts-ycbfQdvJ.js`),__vite__mapDeps([48,1,6,7,8,49])),null,(n,r)=>{var i=F(()=>{var{default:t}=e(r);return{Shortcuts:t}}),a=F(()=>e(i).Shortcuts),o=c(),s=x(o);t(s,()=>e(a),(e,t)=>{t(e,{onclose:()=>E(h,null)})}),g(n,o)}),g(n,r)};o(C,t=>{e(h)===`palette`?t(T):e(h)===`shortcuts`&&t(ee,1)}),ze(M(C,2),{}),g(n,y),r()}var on=`safelight.theme`,sn=class{#e=w(k(cn(localStorage.getItem(on))));get choice(){return e(this.#e)}set choice(e){localStorage.setItem(on,e),this.#t(e)}start(){this.#t(e(this.#e)),addEventListener(`storage`,e=>e.key===on&&this.#t(cn(e.newValue)))}#t(e){E(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},cn=e=>e===`dark`||e===`light`?e:`system`,ln=new sn,un=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function dn(e,t=z.current){let n=Math.min(un.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:un[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function fn(e){return new Intl.DateTimeFormat(z.current,{dateStyle:`medium`}).format(new Date(e))}function pn(e){return new Intl.DateTimeFormat(z.current,{dateStyle:`medium`,timeStyle:`short`}).format(new Date(e))}var mn=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function hn(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(z.current,{numeric:`auto`});for(let[e,t]of mn)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}function gn(e){return new Intl.NumberFormat(z.current,{maximumFractionDigits:+(Math.abs(e)<10)}).format(e)}var _n=h(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),vn=h(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),yn=h(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function bn(t,n){let a=s();L(n,!0);var c=yn(),l=P(c),p=S(l,!0),h=M(l,2);f(h,17,()=>n.options,e=>e.value,(t,r)=>{var s=vn();let c;var l=P(s);C(l);var f=M(l,2),p=t=>{var n=_n(),i=x(n);Y(i,{get path(){return e(r).icon}});var a=M(i),o=S(a,!0);b(()=>m(o,e(r).label)),g(t,n)},h=t=>{var n=d();b(()=>m(n,e(r).label)),g(t,n)};o(f,t=>{e(r).icon?t(p):t(h,-1)}),i(s),b(()=>{y(s,`title`,e(r).icon?e(r).label:void 0),c=I(s,1,`svelte-1qlbtbo`,null,c,{icons:e(r).icon}),y(l,`name`,a),oe(l,e(r).value),ae(l,n.value===e(r).value)}),u(`change`,l,()=>n.onchange(e(r).value)),g(t,s)}),i(c),b(()=>m(p,n.label)),g(t,c),r()}N([`change`]);export{V as $,Ke as A,Ve as B,Q as C,ot as D,rt as E,Ze as F,J as G,Y as H,Xe as I,Se as J,W as K,Qe as L,qe as M,et as N,tt as O,$e as P,ve as Q,We as R,$ as S,it as T,Ne as U,X as V,je as W,xe as X,G as Y,ye as Z,Ft as _,gn as a,B as at,Et as b,an as c,Yt as d,U as et,Ht as f,Lt as g,zt as h,pn as i,ge as it,Ye as j,nt as k,nn as l,Bt as m,dn as n,z as nt,hn as o,R as ot,Vt as p,Te as q,fn as r,fe as rt,ln as s,bn as t,be as tt,Qt as u,Tt as v,at as w,mt as x,Dt as y,Ue as z};